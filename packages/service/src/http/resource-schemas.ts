import { z } from 'zod'
import type { CredentialType, ResourceName } from './route.ts'
import { applicationBody, credentialBodies, tenantBody, userBody } from './schemas.ts'

type ObjectName = Exclude<ResourceName, 'Credential'>

const bodies: Record<ObjectName, z.ZodObject> = {
  Tenant: tenantBody,
  Application: applicationBody,
  User: userBody,
  PasswordCredential: credentialBodies.password,
  TotpAppCredential: credentialBodies.totp_app,
  TotpEmailCredential: credentialBodies.totp_email,
  RecoveryCredential: credentialBodies.recovery_codes,
  HardwareCredential: credentialBodies.hardware,
}

const timestamp = { type: 'string', format: 'date-time' }

const lastUsedAt = {
  last_used_at: { ...timestamp, description: 'When it was proven last; absent until then.' },
}

/** Members of an answer that no body has. */
const answered: Partial<Record<ObjectName, object>> = {
  Application: {
    secret: { type: 'string', description: 'Absent in the answers to create and delete.' },
  },
  TotpAppCredential: {
    totp_app: {
      type: 'object',
      properties: {
        digits: { type: 'integer', description: 'How many digits a code has.' },
        period: { type: 'integer', description: 'How many seconds a code is shown.' },
        ...lastUsedAt,
      },
    },
  },
  TotpEmailCredential: { totp_email: { type: 'object', properties: lastUsedAt } },
  RecoveryCredential: {
    recovery: {
      type: 'object',
      properties: { remaining: { type: 'integer', description: 'Codes that were not used yet.' } },
    },
  },
  HardwareCredential: {
    hardware: {
      type: 'object',
      properties: {
        name: { type: 'string', description: "The user's name for it." },
        aaguid: { type: 'string', description: 'The model of the authenticator.' },
        transports: { type: 'array', items: { type: 'string' } },
        discoverable: { type: 'boolean', description: 'Whether it logs in without an address.' },
        backed_up: { type: 'boolean', description: 'Whether there is a copy on another device.' },
        ...lastUsedAt,
      },
    },
  },
}

/** Members that an answer always has, beyond `type`, `id`, `created_at` and `updated_at`. */
const alwaysPresent: Partial<Record<ObjectName, string[]>> = {
  Tenant: ['settings'],
  Application: ['logout_urls', 'redirect_urls'],
  User: ['profile'],
  PasswordCredential: ['password'],
}

const credentialTypes: readonly CredentialType[] = [
  'PasswordCredential',
  'TotpAppCredential',
  'TotpEmailCredential',
  'RecoveryCredential',
  'HardwareCredential',
]

/** The objects of the answers, as JSON Schema. A member that is not required is omitted when it is zero. */
export const resourceSchemas: Record<ResourceName, object> = {
  Tenant: resourceSchema('Tenant'),
  Application: resourceSchema('Application'),
  User: resourceSchema('User'),
  PasswordCredential: resourceSchema('PasswordCredential'),
  TotpAppCredential: resourceSchema('TotpAppCredential'),
  TotpEmailCredential: resourceSchema('TotpEmailCredential'),
  RecoveryCredential: resourceSchema('RecoveryCredential'),
  HardwareCredential: resourceSchema('HardwareCredential'),
  Credential: {
    description: 'One of the kinds of credentials; more may come.',
    oneOf: credentialTypes.map((name) => ({ $ref: `#/components/schemas/${name}` })),
  },
}

function resourceSchema(name: ObjectName): object {
  const { properties } = z.toJSONSchema(bodies[name], { io: 'input' })
  return {
    type: 'object',
    required: ['type', 'id', 'created_at', 'updated_at', ...(alwaysPresent[name] ?? [])],
    properties: {
      ...properties,
      type: { const: name },
      id: { type: 'string' },
      created_at: timestamp,
      updated_at: timestamp,
      ...answered[name],
    },
  }
}
