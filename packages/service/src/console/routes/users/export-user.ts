import { getUser } from '../../../domain/users/users.ts'
import { jsonLines } from '../../../wire/json-lines.ts'
import { readUserData } from '../../../wire/user-data.ts'
import { type ConsoleRoute, type Result, type TenantCall, tenantForm } from '../../calls/call.ts'
import { noted } from '../../calls/exports.ts'

/** The route of the download that a user who asks for a copy of their data gets. */
export const exportUserRoutes: readonly ConsoleRoute[] = [
  tenantForm('/users/:user/export', exportUser, { needs: 'export', isDangerous: true }),
]

/** The number of objects that are read at a time. */
const AT_ONCE = 100

/**
 * Downloads all data that is stored about a user, as NDJSON. Each line is an object whose `type`
 * says what it is.
 */
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
