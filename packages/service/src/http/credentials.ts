import { totpParameters } from '../domain/factors/totp.ts'
import {
  createCredential,
  deleteCredential,
  getCredential,
  listCredentials,
  type PasswordInput,
  updateCredential,
  updatePassword,
} from '../domain/users/credentials.ts'
import { isFirstFactor } from '../domain/ways/ways-in.ts'
import type { Credential, CredentialKind, Micros } from '../store/records.ts'
import { type CredentialType, list, type Route, write } from './route.ts'
import { type CredentialBody, credentialBodies, credentialBody } from './schemas.ts'
import { formatTimestamp } from './timestamps.ts'
import { omitZero } from './wire.ts'

const collection = '/v1/tenants/:tenant_id/users/:user_id/credentials'
const single = `${collection}/:credential_id`

export const credentialRoutes: Route[] = [
  list({
    path: collection,
    operationId: 'listCredentials',
    summary: 'The credentials of a user',
    resource: 'Credential',
    run: ({ scope, ids }, page) => listCredentials(scope, ids.user_id, page),
    serialize: (_, credential) => serializeCredential(credential),
  }),
  write({
    path: collection,
    operationId: 'createCredential',
    summary: 'Give a user a password, plain or as a hash of another system',
    resource: 'PasswordCredential',
    body: credentialBody,
    run: async ({ scope, ids }, body) =>
      serializeCredential(await createCredential(scope, ids.user_id, passwordInput(body))),
  }),
  {
    kind: 'get',
    path: single,
    operationId: 'getCredential',
    summary: 'One credential',
    resource: 'Credential',
    run: async ({ scope, ids }) =>
      serializeCredential(await getCredential(scope, ids.user_id, ids.credential_id)),
  },
  write({
    path: single,
    operationId: 'updateCredential',
    summary: 'Replace a credential; disables or enables it',
    resource: 'Credential',
    body: credentialBody,
    choice: {
      bodies: Object.values(credentialBodies),
      async of({ scope, ids }) {
        const { kind } = await getCredential(scope, ids.user_id, ids.credential_id)
        return credentialBodies[kind]
      },
    },
    run: async ({ scope, ids: { user_id, credential_id } }, body) =>
      serializeCredential(
        credential_id === 'password'
          ? await updatePassword(scope, user_id, passwordInput(body))
          : await updateCredential(scope, user_id, credential_id, body),
      ),
  }),
  {
    kind: 'delete',
    path: single,
    operationId: 'deleteCredential',
    summary: 'Remove a credential; answers with its last version',
    resource: 'Credential',
    run: async ({ scope, ids }) =>
      serializeCredential(await deleteCredential(scope, ids.user_id, ids.credential_id)),
  },
]

/** The password credential that a body describes. */
export function passwordInput({ disabled, metadata, password }: CredentialBody): PasswordInput {
  return { disabled, metadata, alg: password.alg, hash: password.hash }
}

const typeOf: Record<CredentialKind, CredentialType> = {
  password: 'PasswordCredential',
  totp_app: 'TotpAppCredential',
  totp_email: 'TotpEmailCredential',
  recovery_codes: 'RecoveryCredential',
  hardware: 'HardwareCredential',
  social: 'SocialCredential',
}

/** A credential as the API answers with it. */
function serializeCredential(credential: Credential): object {
  return omitZero({
    type: typeOf[credential.kind],
    id: credential.id,
    created_at: formatTimestamp(credential.createdAt),
    updated_at: formatTimestamp(credential.updatedAt),
    metadata: credential.metadata,
    disabled: credential.disabled,
    ...detailsOf(credential),
  })
}

/** The fields of one kind of credential, without its secrets: only a password shows its hash. */
function detailsOf(credential: Credential): Record<string, object> {
  switch (credential.kind) {
    case 'password': {
      const { alg, hash, cost } = credential.password
      return { password: { alg, hash, cost } }
    }
    case 'totp_app': {
      const { digits, period } = totpParameters
      return { totp_app: { digits, period, ...lastUsed(credential.state.usedAt) } }
    }
    case 'totp_email':
      return { totp_email: lastUsed(credential.state.usedAt) }
    case 'recovery_codes':
      return { recovery: omitZero({ remaining: credential.hashes.length }) }
    case 'hardware': {
      const { name, aaguid, transports, state } = credential
      const discoverable = isFirstFactor(credential)
      const facts = { name, aaguid, transports, discoverable, backed_up: state.isBackedUp }
      return { hardware: omitZero({ ...facts, ...lastUsed(state.usedAt) }) }
    }
    case 'social': {
      const { connectionId: connection, issuer, subject, email, state } = credential
      const facts = { connection, issuer, subject, email, ...lastUsed(state.usedAt) }
      return { social: omitZero(facts) }
    }
  }
}

function lastUsed(usedAt: Micros | undefined): { last_used_at?: string } {
  return usedAt === undefined ? {} : { last_used_at: formatTimestamp(usedAt) }
}
