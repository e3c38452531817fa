import { z } from 'zod'
import { getUser } from '../../domain/users/users.ts'
import { jsonLines } from '../../wire/json-lines.ts'
import { readUserData } from '../../wire/user-data.ts'
import { notedPart } from '../noted-parts.ts'
import { query } from '../route.ts'

/**
 * The route that exports all data of a user. The audit log gets an entry at the beginning and one
 * at the end of the export, as in the console.
 */
export const userDataRoute = query({
  path: '/x/v1/tenants/:tenant_id/users/:user_id/data',
  operationId: 'exportUser',
  summary: 'All that is stored of a user, without hashes and secrets',
  resource: 'UserData',
  filters: z.object({}),
  formats: [{ lines: jsonLines }],
  serialize: (item: object) => item,
  async run(call, _, page) {
    const { id } = await getUser(call.scope, call.ids.user_id)
    return notedPart(call, 'user', { user: id }, () => readUserData(call, id, page))
  },
})
