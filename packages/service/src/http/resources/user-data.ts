import { z } from 'zod'
import { getUser } from '../../domain/users/users.ts'
import { noteExport } from '../../domain/writes/audit.ts'
import { jsonLines } from '../../wire/json-lines.ts'
import { readUserData } from '../../wire/user-data.ts'
import { type Call, query } from '../route.ts'

/** The number of objects that a request has read so far, by request. */
const rowsOf = new WeakMap<Call, number>()

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
    const { scope, ids } = call
    const rows = rowsOf.get(call)
    if (rows === undefined) {
      const { id } = await getUser(scope, ids.user_id)
      await noteExport(scope, 'user.export', { user: id })
    }
    const part = await readUserData(call, ids.user_id, page)
    const read = (rows ?? 0) + part.items.length
    rowsOf.set(call, read)
    if (part.next === undefined) await noteExport(scope, 'user.exported', { rows: read })
    return part
  },
})
