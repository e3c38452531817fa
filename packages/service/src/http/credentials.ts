import {
  type CredentialInput,
  createCredential,
  deleteCredential,
  getCredential,
  listCredentials,
  updateCredential,
} from '../domain/credentials.ts'
import type { Credential } from '../store/records.ts'
import { list, type Route, write } from './route.ts'
import { type CredentialBody, credentialBody } from './schemas.ts'
import { formatTimestamp } from './timestamps.ts'
import { omitZero } from './wire.ts'

const collection = '/v1/tenants/:tenant_id/users/:user_id/credentials'
const single = `${collection}/:credential_id`

export const credentialRoutes: Route[] = [
  list({
    path: collection,
    operationId: 'listCredentials',
    summary: 'The credentials of a user',
    resource: 'PasswordCredential',
    run: ({ scope, ids }, page) => listCredentials(scope, ids.user_id, page),
    serialise: (_, credential) => serialiseCredential(credential),
  }),
  write({
    path: collection,
    operationId: 'createCredential',
    summary: 'Give a user a password, plain or as a hash of another system',
    resource: 'PasswordCredential',
    body: credentialBody,
    run: async ({ scope, ids }, body) =>
      serialiseCredential(await createCredential(scope, ids.user_id, credentialInput(body))),
  }),
  {
    kind: 'get',
    path: single,
    operationId: 'getCredential',
    summary: 'One credential',
    resource: 'PasswordCredential',
    run: async ({ scope, ids }) =>
      serialiseCredential(await getCredential(scope, ids.user_id, ids.credential_id)),
  },
  write({
    path: single,
    operationId: 'updateCredential',
    summary: 'Replace a credential; disables or enables it',
    resource: 'PasswordCredential',
    body: credentialBody,
    run: async ({ scope, ids: { user_id, credential_id } }, body) =>
      serialiseCredential(
        await updateCredential(scope, user_id, credential_id, credentialInput(body)),
      ),
  }),
  {
    kind: 'delete',
    path: single,
    operationId: 'deleteCredential',
    summary: 'Remove a credential; answers with its last version',
    resource: 'PasswordCredential',
    run: async ({ scope, ids }) =>
      serialiseCredential(await deleteCredential(scope, ids.user_id, ids.credential_id)),
  },
]

/** What a body says about a password credential. */
export function credentialInput({ disabled, metadata, password }: CredentialBody): CredentialInput {
  return { disabled, metadata, alg: password.alg, hash: password.hash }
}

/** The specification's names of the kinds of credentials. */
const typeOf = { password: 'PasswordCredential' } as const

/** A credential as the API answers with it. */
function serialiseCredential(credential: Credential): object {
  const { alg, hash, cost } = credential.password
  return omitZero({
    type: typeOf[credential.kind],
    id: credential.id,
    created_at: formatTimestamp(credential.createdAt),
    updated_at: formatTimestamp(credential.updatedAt),
    metadata: credential.metadata,
    disabled: credential.disabled,
    password: { alg, hash, cost },
  })
}
