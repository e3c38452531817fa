import { findableText, rareTrigrams } from '../search-text.ts'
import {
  type Found,
  type SearchCursor,
  type SearchPage,
  stateIn,
  type UserQuery,
} from '../user-search.ts'
import type { Engine, Met } from './engine.ts'
import { every as columnsIn, type Row } from './schema.ts'
import { type Sql, sql } from './sql.ts'
import { createUserSearch, stateOf, usersBy, wayIn } from './user-search.ts'

/**
 * The number of users that a text search reads in the order of their ids before it uses the trigram
 * index. A common text fills the page from these users, while the index would return every user
 * with the text. `inState`: the lower number for users in a state, each of whom is a separate row
 * to read.
 */
const LOOKED_AT = { all: 4_000, inState: 1_000 }

/**
 * The number of users of any state found by the trigram index from which on the search first reads
 * more users of the wanted state in order.
 */
const MANY = 20_000

/** A limit for users that no tenant reaches. */
const EVERY = 1e12

/** The number of users whose texts are the sample for rare trigrams. */
const SAMPLE = 100

type List = (tenantId: string, query: UserQuery, page: SearchPage) => Promise<Found<UserRow>>

type UserRow = Row<'users'>

const every = columnsIn('users')

/**
 * Makes the search for users in an SQL store. With `search`, users are found by a prefix or, if
 * `inside` is set and the trigram index is ready, by any part of an address or name. Without
 * `search`, users are listed in the given order.
 */
export function createUserList(
  engine: Pick<Engine, 'reader' | 'indexedBy' | 'trigrams' | 'json'>,
): List {
  const byPrefix = createUserSearch(engine)
  const byPart = createTextSearch(engine)
  const inOrder = createOrderedList(engine)
  return async (tenantId, query, page) => {
    const { search = '', inside, order = 'oldest' } = query
    if (search.trim() === '') {
      // With an empty prefix, the search lists all users, the oldest first.
      return order === 'oldest' ? byPrefix(tenantId, query, page) : inOrder(tenantId, query, page)
    }
    const text = inside && isAddressOrName(search) ? findableText(search) : undefined
    if (text === undefined || !(await engine.trigrams.isReady())) {
      return byPrefix(tenantId, query, page)
    }
    return byPart(tenantId, text, query, page)
  }
}

/** Whether a search is for an address or a name. Domains and ids have indexes of their own. */
function isAddressOrName(search: string): boolean {
  return !/^(@|usr_)/i.test(search.trim())
}

/**
 * Makes the search for users whose address or name contains a text, in the order of their ids.
 *
 * First, some users are read in the order of their ids, because a common text soon fills the page.
 * If the page is not full, the trigram index finds the users with the text. If the index finds too
 * many users and a state is wanted, more users of that state are read in order first.
 */
function createTextSearch({
  reader,
  trigrams,
  json,
}: Pick<Engine, 'reader' | 'trigrams' | 'json'>) {
  /**
   * The common table expressions of a statement: `met` has the users that are read, `found` the
   * users with the text.
   */
  function tablesOf(users: Met, text: string, limit: number): Sql {
    const found =
      'found' in users
        ? users.found(limit)
        : sql`select id from texts where ${trigrams.contains(text)} order by id limit ${limit}`
    const texts = 'texts' in users ? sql`texts as not materialized (${users.texts}),` : sql``
    return sql`with met as (${users.met}), ${texts} found as (${found})`
  }

  /**
   * Reads users. Resolves to the users with the text (`items`), the number of users read (`met`),
   * and a sample of their texts.
   */
  async function among(tenantId: string, users: Met, text: string, limit: number) {
    const sample =
      'texts' in users
        ? sql`select ${json.arrayOf('search_text')} as sample from (select search_text from texts limit ${SAMPLE}) as some_texts`
        : sql`select '[]' as sample`
    const rows = await reader.all(sql<UserRow & { met: number; sample: string }>`
      ${tablesOf(users, text, limit)}
      select counted.met, sampled.sample, ${every}
      from (select count(*) as met from met) as counted
      cross join (${sample}) as sampled
      left join users on tenant_id = ${tenantId} and id in (select id from found)
      order by id`)
    return {
      items: rows.filter(({ id }) => id !== null),
      met: rows[0]?.met ?? 0,
      sample: (JSON.parse(rows[0]?.sample ?? '[]') as (string | null)[]).map((one) => one ?? ''),
    }
  }

  /** Reads the users with the text, without counting the users read. */
  function allAmong(tenantId: string, users: Met, text: string, limit: number) {
    return reader.all(sql<UserRow>`
      ${tablesOf(users, text, limit)}
      select ${every} from users where tenant_id = ${tenantId} and id in (select id from found)
      order by id`)
  }

  return async (
    tenantId: string,
    text: string,
    query: UserQuery,
    { after, limit }: SearchPage,
  ): Promise<Found<UserRow>> => {
    const users = {
      tenantId,
      after: after?.id ?? '',
      isNarrowed: Object.values(stateIn(query)).some((one) => one !== undefined),
      ...stateOf(tenantId, { ...stateIn(query), column: 'id' }),
    }
    const { isNarrowed } = users
    const look = async (count: number) => {
      const { items, met, sample } = await among(
        tenantId,
        trigrams.first(users, count),
        text,
        limit + 1,
      )
      return { items, isEnough: items.length > limit || met < count, sample }
    }
    const first = await look(isNarrowed ? LOOKED_AT.inState : LOOKED_AT.all)
    if (first.isEnough) return pageOf(first.items, limit)
    const rare = rareTrigrams(text, first.sample)
    const find = (most: number) => trigrams.find(users, text, rare, most)
    if (isNarrowed) {
      const few = await among(tenantId, find(MANY), text, limit + 1)
      if (few.met < MANY) return pageOf(few.items, limit)
      const more = await look(MANY)
      if (more.isEnough) return pageOf(more.items, limit)
    }
    return pageOf(await allAmong(tenantId, find(EVERY), text, limit + 1), limit)
  }
}

/** Makes the lists in every order except `oldest`. */
function createOrderedList({ reader, indexedBy }: Pick<Engine, 'reader' | 'indexedBy'>): List {
  type Placed = UserRow & { place: string | number }

  async function rowsOf(query: Sql, limit: number): Promise<Found<UserRow>> {
    return pageOf(await reader.all(sql<Placed>`${query} limit ${limit + 1}`), limit)
  }

  return (tenantId, query, { after, limit }) => {
    const { order, lastWay } = query
    if (order === 'login') {
      const { key, id } = after ?? { key: '', id: '' }
      const isBehind =
        after === undefined ? sql`1 = 1` : sql`(at, user_id) < (${Number(key)}, ${id})`
      const isOfWay = lastWay === undefined ? sql`1 = 1` : sql`way = ${lastWay}`
      const index = lastWay === undefined ? 'last_logins_by_time' : 'last_logins_by_way_and_time'
      return rowsOf(
        sql`select ${every}, at as place from (
            select user_id, at from last_logins ${indexedBy(index)}
            where tenant_id = ${tenantId} and ${isBehind} and ${isOfWay} order by at desc, user_id desc
            limit ${limit + 1}) as latest
          join users on tenant_id = ${tenantId} and id = user_id
          order by at desc, user_id desc`,
        limit,
      )
    }
    if (order === 'name') {
      const { index, states } = stateOf(tenantId, { ...stateIn(query), column: 'name_key' })
      const { key, id } = after ?? { key: '', id: '' }
      return rowsOf(
        sql`select ${every}, name_key as place from users ${indexedBy(index ?? 'users_by_name')}
          where tenant_id = ${tenantId} and (name_key, id) > (${key}, ${id}) and ${states}
          order by name_key, id`,
        limit,
      )
    }
    const { way, others } = wayIn(stateIn(query))
    if (way !== undefined) {
      const isBefore = after === undefined ? sql`1 = 1` : sql`user_id < ${after.id}`
      return rowsOf(
        sql`select ${every}, id as place from ${usersBy(tenantId, way, indexedBy)}
          and ${isBefore} and ${stateOf(tenantId, { ...others, column: 'id' }).states}
          order by user_id desc`,
        limit,
      )
    }
    const { index, states } = stateOf(tenantId, { ...stateIn(query), column: 'id' })
    const isBehind = after === undefined ? sql`1 = 1` : sql`id < ${after.id}`
    return rowsOf(
      sql`select ${every}, id as place from users ${index === undefined ? sql`` : indexedBy(index)}
        where tenant_id = ${tenantId} and ${isBehind} and ${states} order by id desc`,
      limit,
    )
  }
}

function pageOf(rows: (UserRow & { place?: string | number })[], limit: number): Found<UserRow> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const next: SearchCursor | undefined =
    rows.length > limit && last ? { key: String(last.place ?? ''), id: last.id } : undefined
  return { items, next }
}
