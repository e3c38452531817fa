import type { Account, UserStore } from '../ports.ts'
import type { Engine } from './engine.ts'
import { columnsOf, every, type Row } from './schema.ts'
import { type AnyRow, join, name, type Sql, sql } from './sql.ts'
import { toAccount } from './tables/accounts.ts'

/**
 * The prefix of a user's columns in the joined rows. It is not `user_`, because credentials have a
 * column `user_id`.
 */
const OF_USER = 'users_'

const userColumns = columnsOf('users')

const accounts = sql<AnyRow>`select
  ${join(userColumns.map((column) => sql`users.${name(column)} as ${name(OF_USER + column)}`))},
  ${every('credentials', 'credentials')}
  from users left join credentials
    on credentials.tenant_id = users.tenant_id and credentials.user_id = users.id`

/** Makes the methods that read a user with all credentials, in one statement. */
export function createReadAccount({
  reader,
}: Pick<Engine, 'reader'>): Pick<UserStore, 'getAccount' | 'findAccount'> {
  const read = async (tenantId: string, condition: Sql) =>
    accountOf(
      await reader.all(
        sql<AnyRow>`${accounts} where users.tenant_id = ${tenantId} and ${condition}`,
      ),
    )
  return {
    getAccount: (tenantId, id) => read(tenantId, sql`users.id = ${id}`),
    findAccount: (tenantId, emailKey) => read(tenantId, sql`users.email_key = ${emailKey}`),
  }
}

/**
 * Makes the account from the joined rows of one user; `undefined` without rows. A user without
 * credentials has one row, with `null` in all columns of the credential.
 */
function accountOf(rows: readonly AnyRow[]): Account | undefined {
  const [first] = rows
  if (!first) return undefined
  const user = Object.fromEntries(userColumns.map((column) => [column, first[OF_USER + column]]))
  const credentials = rows.filter(({ id }) => id !== null) as unknown as Row<'credentials'>[]
  return toAccount(user as unknown as Row<'users'>, credentials)
}
