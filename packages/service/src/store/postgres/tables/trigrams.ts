import { searchTexts } from '../../search-text.ts'
import type { Queries, Trigrams } from '../../sql/engine.ts'
import { join, once, script, separators, sql } from '../../sql/sql.ts'
import { DOMAIN } from './user-texts.ts'

/** The number of users that get their search text in one step. */
const PAGE = 5_000

/** The interval, in milliseconds, at which a missing index is looked for again. */
const RECHECK_MS = 60_000

const INDEX = 'users_by_trigrams'

/**
 * Stores the search texts of some users, starting after the last user with a search text.
 *
 * @returns `unfinished` if there may be more users.
 */
export async function fillSearchTexts(db: Queries): Promise<'unfinished' | undefined> {
  const rows = await db.all(
    once(sql<{
      tenant_id: string
      id: string
      email_key: string
      profile: string
    }>`select tenant_id, id, email_key, profile from users
    where (tenant_id, id) > (
      select coalesce(max(of_tenant), ''), coalesce(max(of_user), '') from (
        select of_tenant, of_user from user_texts order by of_tenant desc, of_user desc limit 1) as last)
    order by tenant_id, id limit ${PAGE} for key share`),
  )
  const texts = rows.map(({ email_key, profile }) =>
    searchTexts({ emailKey: email_key, profile: JSON.parse(profile) }),
  )
  await db.run(
    once(sql`insert into user_texts (of_tenant, of_user, search_text)
    select tenant_id, id, search_text from unnest(
      ${rows.map(({ tenant_id }) => tenant_id)}::text[],
      ${rows.map(({ id }) => id)}::text[],
      ${texts.map(({ search_text }) => search_text)}::text[]
    ) as filled (tenant_id, id, search_text) on conflict do nothing`),
  )
  return rows.length === PAGE ? 'unfinished' : undefined
}

/**
 * The trigram index to create; `undefined` if the index exists, or the extension `pg_trgm` cannot
 * be created. Searches without the index use prefixes. This is checked at each start, so that an
 * extension that is installed later is used.
 *
 * The index has a low limit for its list of pending rows, because every search reads that list.
 */
export async function missingTrigrams(db: Queries): Promise<Record<string, string> | undefined> {
  if (await isThere(db)) return undefined
  await db.run(script('savepoint trigrams'))
  try {
    await db.run(script('create extension if not exists pg_trgm'))
  } catch {
    await db.run(script('rollback to savepoint trigrams'))
    return undefined
  }
  return {
    [INDEX]: `user_texts using gin (search_text gin_trgm_ops) with (gin_pending_list_limit = 256)`,
  }
}

/** Whether the index exists and is complete. */
async function isThere(db: Queries): Promise<boolean> {
  const found = await db.first(
    once(sql<{ isValid: boolean }>`
      select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${INDEX})`),
  )
  return found?.isValid ?? false
}

/** Makes the parts of searches that use the trigram index of PostgreSQL. */
export function createTrigrams(reader: Queries): Trigrams {
  let isFound = false
  let nextAt = 0
  // `position` does not use the index. `like` would search the index for every trigram of the text,
  // even for common trigrams.
  const contains = (text: string) => sql`position(${text} in search_text) > 0`
  return {
    async isReady() {
      if (!isFound && performance.now() >= nextAt) {
        isFound = await isThere(reader)
        nextAt = performance.now() + RECHECK_MS
      }
      return isFound
    },
    domain: DOMAIN,
    contains,
    first: ({ tenantId, after, states, isNarrowed }, count) =>
      isNarrowed
        ? {
            met: sql`select id from users
              where tenant_id = ${tenantId} and id > ${after} and ${states} order by id limit ${count}`,
            // `lateral … offset 0` reads the texts one user at a time. A plain join might read the
            // texts of all users.
            texts: sql`select id, search_text from met cross join lateral
              (select search_text from user_texts where of_tenant = ${tenantId} and of_user = id offset 0) as its_text`,
          }
        : {
            met: sql`select of_user as id, search_text from user_texts
              where of_tenant = ${tenantId} and of_user > ${after} order by of_user limit ${count}`,
            texts: sql`select id, search_text from met`,
          },
    find: ({ tenantId, after, states, isNarrowed }, text, rare, most) => ({
      met: sql`select of_user as id from user_texts
        where ${join(
          rare.map((one) => sql`search_text like ${`%${one}%`}`),
          separators.and,
        )}
          and of_tenant = ${tenantId} and of_user > ${after} and ${contains(text)} limit ${most}`,
      found: (limit) =>
        isNarrowed
          ? // Reads the states of one user after the other, until the page is full.
            sql`select id from (select id from met order by id offset 0) as in_order
              where (select true from users where tenant_id = ${tenantId} and users.id = in_order.id and ${states})
              order by id limit ${limit}`
          : sql`select id from met order by id limit ${limit}`,
    }),
  }
}
