import type { Queries } from '../sql/engine.ts'
import { once, sql } from '../sql/sql.ts'
import { searchKeys } from '../user-search.ts'

/** How many users one step gives their keys. */
const PAGE = 5_000

/** The columns by which names are searched, and their indexes, which are empty at first. */
export async function addSearchKeys(db: Queries): Promise<void> {
  const statements = [
    sql`alter table users
      add column name_key text collate "C",
      add column family_name_key text collate "C"`,
    sql`create index users_by_name on users (tenant_id, name_key, id) where name_key > ''`,
    sql`create index users_by_family_name on users (tenant_id, family_name_key, id)
      where family_name_key > ''`,
    sql`create index users_disabled on users (tenant_id, id) where disabled = 1`,
    sql`create index users_unverified on users (tenant_id, id) where verified_at is null`,
    sql`create index users_without_keys on users (tenant_id, id) where name_key is null`,
  ]
  for (const statement of statements) await db.run(once(statement))
}

/** Gives some users the keys by which names are searched; answers whether there may be more. */
export async function fillSearchKeys(db: Queries): Promise<'unfinished' | undefined> {
  const rows = await db.all(
    once(sql<{ tenant_id: string; id: string; profile: string }>`
    select tenant_id, id, profile from users where name_key is null
    order by tenant_id, id limit ${PAGE} for no key update`),
  )
  const keys = rows.map(({ profile }) => searchKeys({ profile: JSON.parse(profile) }))
  await db.run(
    once(sql`update users set name_key = filled.name, family_name_key = filled.family_name
    from unnest(
      ${rows.map(({ tenant_id }) => tenant_id)}::text[],
      ${rows.map(({ id }) => id)}::text[],
      ${keys.map(({ name_key }) => name_key)}::text[],
      ${keys.map(({ family_name_key }) => family_name_key)}::text[]
    ) as filled (tenant_id, id, name, family_name)
    where users.tenant_id = filled.tenant_id and users.id = filled.id`),
  )
  return rows.length === PAGE ? 'unfinished' : undefined
}
