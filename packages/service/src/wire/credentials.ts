import { totpParameters } from '../domain/factors/totp.ts'
import type { PasswordInput } from '../domain/users/credentials.ts'
import { storedAlgorithms } from '../domain/users/passwords.ts'
import { isFirstFactor } from '../domain/ways/ways-in.ts'
import { type CredentialKind, credentialKinds } from '../resources/credentials.ts'
import type { Credential, Micros } from '../store/records.ts'
import { omitZero } from './omit-zero.ts'
import type { CredentialBody } from './schemas.ts'
import { formatTimestamp } from './timestamps.ts'

/** Makes the input for a password credential from a request body. */
export function passwordInput({ disabled, metadata, password }: CredentialBody): PasswordInput {
  return { disabled, metadata, alg: password.alg, hash: password.hash }
}

/**
 * The description of the response member that only one kind of credential has. `of` makes its
 * value, without secrets. Only a password shows its hash.
 */
interface Details<C extends Credential> {
  readonly member: string
  of(credential: C): Record<string, unknown>
  /** The properties of the member in the OpenAPI document. */
  readonly properties: Readonly<Record<string, object>>
  /** The names of properties that are always present. */
  readonly required?: readonly string[]
  readonly example: Readonly<Record<string, unknown>>
}

const usedAt = '2026-02-01T08:00:00.000000Z'

const lastUsedAt = {
  last_used_at: {
    ...{ type: 'string', format: 'date-time' },
    description: 'When it was proven last; absent until then.',
  },
}

const detailsOf: {
  readonly [K in CredentialKind]: Details<Extract<Credential, { kind: K }>>
} = {
  password: {
    member: 'password',
    of: ({ password: { alg, hash, cost } }) => ({ alg, hash, cost }),
    required: ['alg', 'hash', 'cost'],
    properties: {
      alg: { enum: storedAlgorithms },
      hash: { type: 'string', description: 'The bcrypt hash.' },
      cost: { type: 'integer', description: 'The cost of the bcrypt hash.' },
    },
    example: {
      alg: 'bcrypt',
      hash: '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
      cost: 10,
    },
  },
  totp_app: {
    member: 'totp_app',
    of: ({ state }) => ({
      digits: totpParameters.digits,
      period: totpParameters.period,
      ...lastUsed(state.usedAt),
    }),
    properties: {
      digits: { type: 'integer', description: 'How many digits a code has.' },
      period: { type: 'integer', description: 'How many seconds a code is shown.' },
      ...lastUsedAt,
    },
    example: { digits: 6, period: 30, last_used_at: usedAt },
  },
  totp_email: {
    member: 'totp_email',
    of: ({ state }) => lastUsed(state.usedAt),
    properties: lastUsedAt,
    example: { last_used_at: usedAt },
  },
  recovery_codes: {
    member: 'recovery',
    of: ({ hashes }) => ({ remaining: hashes.length }),
    properties: { remaining: { type: 'integer', description: 'Codes that were not used yet.' } },
    example: { remaining: 9 },
  },
  hardware: {
    member: 'hardware',
    of(credential) {
      const { name, aaguid, transports, state } = credential
      const discoverable = isFirstFactor(credential)
      const facts = { name, aaguid, transports, discoverable, backed_up: state.isBackedUp }
      return { ...facts, ...lastUsed(state.usedAt) }
    },
    properties: {
      name: { type: 'string', description: "The user's name for it." },
      aaguid: { type: 'string', description: 'The model of the authenticator.' },
      transports: { type: 'array', items: { type: 'string' } },
      discoverable: { type: 'boolean', description: 'Whether it logs in without an address.' },
      backed_up: { type: 'boolean', description: 'Whether there is a copy on another device.' },
      ...lastUsedAt,
    },
    example: { name: 'Laptop', transports: ['internal'], discoverable: true, backed_up: true },
  },
  social: {
    member: 'social',
    of({ connectionId: connection, issuer, subject, email, state }) {
      return { connection, issuer, subject, email, ...lastUsed(state.usedAt) }
    },
    properties: {
      connection: { type: 'string', description: 'The id of the connection.' },
      issuer: { type: 'string', description: 'The provider that asserts the account.' },
      subject: { type: 'string', description: 'How the provider calls the account.' },
      email: { type: 'string', description: 'As the provider told it when it was connected.' },
      ...lastUsedAt,
    },
    example: { connection: 'google', issuer: 'https://accounts.google.com', subject: '1102' },
  },
}

/** Makes the response body for a credential. */
export function serializeCredential(credential: Credential): object {
  const details = detailsOf[credential.kind] as Details<Credential>
  return omitZero({
    type: credentialKinds[credential.kind].type,
    id: credential.id,
    created_at: formatTimestamp(credential.createdAt),
    updated_at: formatTimestamp(credential.updatedAt),
    metadata: credential.metadata,
    disabled: credential.disabled,
    [details.member]: omitZero(details.of(credential)),
  })
}

function lastUsed(usedAt: Micros | undefined): { last_used_at?: string } {
  return usedAt === undefined ? {} : { last_used_at: formatTimestamp(usedAt) }
}

/**
 * Describes the response member of a kind of credential, as properties of a JSON Schema and as an
 * example.
 */
export function describeDetails(kind: CredentialKind): { schema: object; example: object } {
  const { member, properties, required, example } = detailsOf[kind]
  return {
    schema: { [member]: { type: 'object', ...(required && { required }), properties } },
    example: { [member]: example },
  }
}
