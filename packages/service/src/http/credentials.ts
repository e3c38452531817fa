import {
  type CredentialInput,
  createCredential,
  deleteCredential,
  updateCredential,
} from '../domain/credentials.ts'
import { notFound } from '../domain/errors.ts'
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
    async run({ context, ids }, page) {
      const listing = await context.store.credentials.list(ids.tenant_id, ids.user_id, page)
      if (!listing) throw notFound()
      return listing
    },
    serialise: (_, credential) => serialiseCredential(credential),
  }),
  write({
    path: collection,
    operationId: 'createCredential',
    summary: 'Give a user a password, plain or as a hash of another system',
    resource: 'PasswordCredential',
    body: credentialBody,
    run: async ({ context, actor, ids }, body) =>
      serialiseCredential(
        await createCredential(context, actor, ids.tenant_id, ids.user_id, credentialInput(body)),
      ),
  }),
  {
    kind: 'get',
    path: single,
    operationId: 'getCredential',
    summary: 'One credential',
    resource: 'PasswordCredential',
    async run({ context, ids }) {
      const { tenant_id, user_id, credential_id } = ids
      const credential = await context.store.credentials.get(tenant_id, user_id, credential_id)
      if (!credential) throw notFound()
      return serialiseCredential(credential)
    },
  },
  write({
    path: single,
    operationId: 'updateCredential',
    summary: 'Replace a credential; disables or enables it',
    resource: 'PasswordCredential',
    body: credentialBody,
    async run({ context, actor, ids }, body) {
      const { tenant_id, user_id, credential_id } = ids
      const input = credentialInput(body)
      return serialiseCredential(
        await updateCredential(context, actor, tenant_id, user_id, credential_id, input),
      )
    },
  }),
  {
    kind: 'delete',
    path: single,
    operationId: 'deleteCredential',
    summary: 'Remove a credential; answers with its last version',
    resource: 'PasswordCredential',
    async run({ context, actor, ids }) {
      const { tenant_id, user_id, credential_id } = ids
      return serialiseCredential(
        await deleteCredential(context, actor, tenant_id, user_id, credential_id),
      )
    },
  },
]

/** What a body says about a password credential. */
export function credentialInput({ disabled, metadata, password }: CredentialBody): CredentialInput {
  return { disabled, metadata, alg: password.alg, hash: password.hash }
}

/** A credential as the API answers with it. */
function serialiseCredential(credential: Credential): object {
  const { alg, hash, cost } = credential.password
  return omitZero({
    type: credential.type,
    id: credential.id,
    created_at: formatTimestamp(credential.createdAt),
    updated_at: formatTimestamp(credential.updatedAt),
    metadata: credential.metadata,
    disabled: credential.disabled,
    password: { alg, hash, cost },
  })
}
