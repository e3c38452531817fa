import {
  createCredential,
  deleteCredential,
  getCredential,
  listCredentials,
  updateCredential,
  updatePassword,
} from '../../domain/users/credentials.ts'
import { passwordInput, serializeCredential } from '../../wire/credentials.ts'
import { credentialBodies, credentialBody } from '../../wire/schemas.ts'
import { list, type Route, write } from '../route.ts'

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
