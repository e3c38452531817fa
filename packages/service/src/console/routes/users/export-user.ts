import { getUser } from '../../../domain/users/users.ts'
import { jsonLines } from '../../../wire/json-lines.ts'
import { readUserData } from '../../../wire/user-data.ts'
import { type ConsoleRoute, type Result, type TenantCall, tenantForm } from '../../calls/call.ts'
import { noted } from '../../calls/exports.ts'

/** The copy of their data that a person may ask for. */
export const exportUserRoutes: readonly ConsoleRoute[] = [
  tenantForm('/users/:user/export', exportUser, { needs: 'export', isDangerous: true }),
]

/** How many objects are read at a time. */
const AT_ONCE = 100

/** All that is stored of a user, as a file: a line for each object, whose `type` says what it is. */
async function exportUser(call: TenantCall): Promise<Result> {
  const { id } = await getUser(call.scope, call.ids.user ?? '')
  return noted(
    call,
    'user',
    { user: id, format: 'ndjson' },
    {
      kind: 'lines',
      fileName: `user-${id}.ndjson`,
      lines: jsonLines,
      read: (after) => readUserData(call, id, { after, limit: AT_ONCE }),
    },
  )
}
