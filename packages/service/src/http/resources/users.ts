import { createUser, deleteUser, getUser, listUsers, updateUser } from '../../domain/users/users.ts'
import { userBody } from '../../wire/schemas.ts'
import { ignoredMembers, serializeUser, userInput } from '../../wire/users.ts'
import { list, type Route, write } from '../route.ts'

const collection = '/v1/tenants/:tenant_id/users'
const single = `${collection}/:user_id`

export const userRoutes: Route[] = [
  list({
    path: collection,
    operationId: 'listUsers',
    summary: 'The users of a tenant',
    resource: 'User',
    run: ({ scope }, page) => listUsers(scope, page),
    serialize: (_, user) => serializeUser(user),
  }),
  write({
    path: collection,
    operationId: 'createUser',
    summary: 'Create a user without credentials',
    resource: 'User',
    body: userBody,
    ignored: ignoredMembers,
    run: async ({ scope }, body) => serializeUser(await createUser(scope, userInput(body))),
  }),
  {
    kind: 'get',
    path: single,
    operationId: 'getUser',
    summary: 'One user',
    resource: 'User',
    run: async ({ scope, ids }) => serializeUser(await getUser(scope, ids.user_id)),
  },
  write({
    path: single,
    operationId: 'updateUser',
    summary: 'Replace a user; disables or enables it',
    resource: 'User',
    body: userBody,
    ignored: ignoredMembers,
    run: async ({ scope, ids }, body) =>
      serializeUser(await updateUser(scope, ids.user_id, userInput(body))),
  }),
  {
    kind: 'delete',
    path: single,
    operationId: 'deleteUser',
    summary: 'Delete a user with all credentials; answers with the last version',
    resource: 'User',
    run: async ({ scope, ids }) => serializeUser(await deleteUser(scope, ids.user_id)),
  },
]
