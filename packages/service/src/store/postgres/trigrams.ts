import { type Kysely, sql } from 'kysely'
import { searchTexts } from '../search-text.ts'
import type { Trigrams } from '../sql/engine.ts'
import { createDomainIndexes, createLastLogins } from '../sql/list-filters.ts'

/** How many users one step gives their texts. */
const PAGE = 5_000

/** How long it is believed that the index is missing. */
const RECHECK_MS = 60_000

const INDEX = 'users_by_trigrams'

/** The columns, indexes and the table of lists of users; texts are filled by {@link fillSearchTexts}. */
export async function addUserLists(db: Kysely<unknown>): Promise<void> {
  const statements = [
    'alter table users add column search_text text, add column domain_key text collate "C"',
    'create index users_without_text on users (tenant_id, id) where search_text is null',
    ...createDomainIndexes(),
    ...createLastLogins('collate "C"', 'bigint'),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** Gives some users the texts in which a search looks; answers whether there may be more. */
export async function fillSearchTexts(db: Kysely<unknown>): Promise<'unfinished' | undefined> {
  const { rows } = await sql<{
    tenant_id: string
    id: string
    email_key: string
    profile: string
  }>`select tenant_id, id, email_key, profile from users where search_text is null
    order by tenant_id, id limit ${sql.lit(PAGE)} for no key update`.execute(db)
  const texts = rows.map(({ email_key, profile }) =>
    searchTexts({ emailKey: email_key, profile: JSON.parse(profile) }),
  )
  await sql`update users set search_text = filled.text, domain_key = filled.domain
    from unnest(
      ${rows.map(({ tenant_id }) => tenant_id)}::text[],
      ${rows.map(({ id }) => id)}::text[],
      ${texts.map(({ search_text }) => search_text)}::text[],
      ${texts.map(({ domain_key }) => domain_key)}::text[]
    ) as filled (tenant_id, id, text, domain)
    where users.tenant_id = filled.tenant_id and users.id = filled.id`.execute(db)
  return rows.length === PAGE ? 'unfinished' : undefined
}

/**
 * Makes the index of trigrams where it is missing and the extension is there or may be made. Otherwise nothing
 * happens, and searches go by beginnings. Asked at each start, so that an extension that was made later is used.
 *
 * The list of rows that the index has not sorted yet is short, as every search reads all of it.
 */
export async function addTrigrams(db: Kysely<unknown>): Promise<void> {
  if (await isThere(db)) return
  await sql`savepoint trigrams`.execute(db)
  try {
    await sql`create extension if not exists pg_trgm`.execute(db)
  } catch {
    await sql`rollback to savepoint trigrams`.execute(db)
    return
  }
  await sql`create index ${sql.ref(INDEX)} on users using gin (search_text gin_trgm_ops)
    with (gin_pending_list_limit = 256)`.execute(db)
}

async function isThere(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass(${INDEX}) is not null as there`.execute(db)
  return rows[0]?.there ?? false
}

/** The index of trigrams in PostgreSQL. */
export function createTrigrams(reader: Kysely<unknown>): Trigrams {
  let isFound = false
  let nextAt = 0
  const contains = (text: string) =>
    sql<boolean>`search_text like ${`%${text.replace(/[\\%_]/g, '\\$&')}%`}`
  return {
    async isReady() {
      if (!isFound && performance.now() >= nextAt) {
        isFound = await isThere(reader)
        nextAt = performance.now() + RECHECK_MS
      }
      return isFound
    },
    contains,
    find: (text) => ({ from: sql`users`, is: contains(text) }),
  }
}
