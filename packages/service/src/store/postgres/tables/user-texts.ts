import type { User } from '../../records.ts'
import { searchTexts } from '../../search-text.ts'
import { type AnyRow, raw, type Sql, sql } from '../../sql/sql.ts'
import { usersTable } from '../../sql/tables/users.ts'

/**
 * The statement that creates the table of search texts. It is separate from `users`, because
 * release 0.2 reads every column of `users`, and its prepared statements would fail permanently if
 * a column were added. Users that release 0.2 has written have no search text.
 */
export const USER_TEXTS = `create table user_texts (
  of_tenant text collate "C" not null,
  of_user text collate "C" not null,
  search_text text not null,
  primary key (of_tenant, of_user),
  foreign key (of_tenant, of_user) references users (tenant_id, id) on delete cascade
)`

/** The expression for the domain of a user's address. */
export const DOMAIN: Sql = raw("substring(email_key, '[^@]*$')")

/** The definition of the table of users without the columns of search texts. */
export const textlessUsers: typeof usersTable = {
  ...usersTable,
  toRow: (user) => withoutTexts(usersTable.toRow(user)),
}

/** Removes the columns that exist only in SQLite from the row of a user. */
export function withoutTexts({ search_text: _, domain_key: __, ...row }: AnyRow): AnyRow {
  return row
}

/** Makes a row of `user_texts` from the row of a user. */
export function textOf({ tenant_id, id, search_text }: AnyRow): AnyRow {
  return { of_tenant: tenant_id ?? null, of_user: id ?? null, search_text: search_text ?? '' }
}

/** The part of a statement that stores the search text of a user; see {@link storeText}. */
export function writeText(user: Pick<User, 'emailKey' | 'profile'>): Sql {
  return storeText(searchTexts(user).search_text)
}

/**
 * The part of a statement that stores a search text for the user in the part `written`, if the text
 * has changed.
 */
export function storeText(text: string): Sql {
  return sql`insert into user_texts (of_tenant, of_user, search_text)
    select tenant_id, id, ${text}::text from written
    on conflict (of_tenant, of_user) do update set search_text = excluded.search_text
      where user_texts.search_text <> excluded.search_text`
}
