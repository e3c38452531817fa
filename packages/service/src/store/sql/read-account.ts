import type { Account, UserStore } from '../ports.ts'
import { toAccount } from './accounts.ts'
import { columns } from './columns.ts'
import type { Engine } from './engine.ts'
import { prepared, type Row } from './prepared.ts'
import type { CredentialRow, UserRow } from './schema.ts'

/** Before the names of the columns of a user, as credentials have some of the same. */
const OF_USER = 'user '

/** Reads users together with their credentials, in one statement. */
export function createReadAccount({
  reader,
}: Pick<Engine, 'reader'>): Pick<UserStore, 'getAccount' | 'findAccount'> {
  const by = (column: 'id' | 'email_key') =>
    prepared<[string, string], unknown>(reader, 2, (tenantId, value) =>
      reader
        .selectFrom('users')
        .leftJoin('credentials', (join) =>
          join
            .onRef('credentials.tenant_id', '=', 'users.tenant_id')
            .onRef('credentials.user_id', '=', 'users.id'),
        )
        .select(columns.users.map((name) => `users.${name} as ${OF_USER}${name}` as const))
        .select(columns.credentials.map((name) => `credentials.${name}` as const))
        .where('users.tenant_id', '=', tenantId)
        .where(`users.${column}`, '=', value),
    )
  const [byId, byEmail] = [by('id'), by('email_key')]
  return {
    getAccount: async (...key) => accountOf((await byId(...key)) as Row[]),
    findAccount: async (...key) => accountOf((await byEmail(...key)) as Row[]),
  }
}

/** A user without credentials has one row, with nothing in their columns. */
function accountOf(rows: readonly Row[]): Account | undefined {
  const [first] = rows
  if (!first) return undefined
  const user = Object.fromEntries(columns.users.map((name) => [name, first[OF_USER + name]]))
  const credentials = rows.filter(({ id }) => id !== null) as unknown as CredentialRow[]
  return toAccount(user as unknown as UserRow, credentials)
}
