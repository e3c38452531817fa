import { type Kysely, sql } from 'kysely'
import { searchKeys } from '../user-search.ts'

const PAGE = 5_000

/** Gives every user the keys by which names are searched, a page of users at a time. */
export async function addSearchKeys(database: Kysely<unknown>): Promise<void> {
  const db = database as Kysely<{ users: UserToSearch }>
  await sql`alter table users add column name_key text`.execute(db)
  await sql`alter table users add column family_name_key text`.execute(db)
  for (let last: UserToSearch | undefined, isMore = true; isMore; ) {
    const users: UserToSearch[] = await db
      .selectFrom('users')
      .select(['tenant_id', 'id', 'profile'])
      .where(sql<boolean>`(tenant_id, id) > (${last?.tenant_id ?? ''}, ${last?.id ?? ''})`)
      .orderBy('tenant_id')
      .orderBy('id')
      .limit(PAGE)
      .execute()
    for (const { tenant_id, id, profile } of users) {
      const keys = searchKeys({ profile: JSON.parse(profile) })
      await sql`update users
        set name_key = ${keys.name_key}, family_name_key = ${keys.family_name_key}
        where tenant_id = ${tenant_id} and id = ${id}`.execute(db)
    }
    last = users.at(-1)
    isMore = users.length === PAGE
  }
  const statements = [
    sql`create index users_by_name on users (tenant_id, name_key, id) where name_key > ''`,
    sql`create index users_by_family_name on users (tenant_id, family_name_key, id)
      where family_name_key > ''`,
    sql`create index users_disabled on users (tenant_id, id) where disabled = 1`,
    sql`create index users_unverified on users (tenant_id, id) where verified_at is null`,
  ]
  for (const statement of statements) await statement.execute(db)
}

interface UserToSearch {
  tenant_id: string
  id: string
  profile: string
}
