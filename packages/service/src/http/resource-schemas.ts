import { z } from 'zod'
import type { ResourceName } from './route.ts'
import { applicationBody, credentialBody, tenantBody, userBody } from './schemas.ts'

const bodies = {
  Tenant: tenantBody,
  Application: applicationBody,
  User: userBody,
  PasswordCredential: credentialBody,
}

/** Members that an answer always has, beyond `type`, `id`, `created_at` and `updated_at`. */
const alwaysPresent: Record<ResourceName, string[]> = {
  Tenant: ['settings'],
  Application: ['logout_urls', 'redirect_urls'],
  User: ['profile'],
  PasswordCredential: ['password'],
}

/** The objects of the answers, as JSON Schema. What is not required is omitted when it is zero. */
export const resourceSchemas: Record<ResourceName, object> = {
  Tenant: resourceSchema('Tenant'),
  Application: resourceSchema('Application'),
  User: resourceSchema('User'),
  PasswordCredential: resourceSchema('PasswordCredential'),
}

function resourceSchema(name: ResourceName): object {
  const { properties } = z.toJSONSchema(bodies[name], { io: 'input' })
  const timestamp = { type: 'string', format: 'date-time' }
  return {
    type: 'object',
    required: ['type', 'id', 'created_at', 'updated_at', ...alwaysPresent[name]],
    properties: {
      ...properties,
      type: { const: name },
      id: { type: 'string' },
      created_at: timestamp,
      updated_at: timestamp,
      ...(name === 'Application' && {
        secret: { type: 'string', description: 'Absent in the answers to create and delete.' },
      }),
    },
  }
}
