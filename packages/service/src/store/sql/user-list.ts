import { findableText, rareTrigrams } from '../search-text.ts'
import type { Found, SearchCursor, SearchPage, UserQuery } from '../user-search.ts'
import type { Engine } from './engine.ts'
import { every as columnsIn, type Row } from './schema.ts'
import { type Sql, sql } from './sql.ts'
import { createUserSearch, stateOf } from './user-search.ts'

/**
 * How many users are read in the order of their ids before the index of trigrams is used: a text that many users
 * contain fills its page among them, and the index would return all the others, too.
 */
const LOOKED_AT = 20_000

/** How many users tell which trigrams of a text are rare. */
const SAMPLE = 100

type List = (tenantId: string, query: UserQuery, page: SearchPage) => Promise<Found<UserRow>>

type UserRow = Row<'users'>

const every = columnsIn('users')

/** The lists of users of an SQL store: by the beginning of a text, by text inside of others, or in an order. */
export function createUserList(engine: Pick<Engine, 'reader' | 'indexedBy' | 'trigrams'>): List {
  const byBeginning = createUserSearch(engine)
  const byText = createTextSearch(engine)
  const inOrder = createOrderedList(engine)
  return async (tenantId, query, page) => {
    const { search = '', inside, order = 'oldest' } = query
    if (search.trim() !== '') {
      const text = inside && isName(search) ? findableText(search) : undefined
      if (text === undefined || !(await engine.trigrams.isReady())) {
        return byBeginning(tenantId, query, page)
      }
      return byText(tenantId, text, query, page)
    }
    return order === 'oldest' ? byBeginning(tenantId, query, page) : inOrder(tenantId, query, page)
  }
}

/** A domain and an id have indexes of their own. */
function isName(search: string): boolean {
  return !/^(@|usr_)/i.test(search.trim())
}

/** Users whose address or name contains a text, in the order of their ids. */
function createTextSearch({
  reader,
  indexedBy,
  trigrams,
}: Pick<Engine, 'reader' | 'indexedBy' | 'trigrams'>) {
  /** Those among `looked` who contain the text, and how many were looked at. */
  async function among(
    tenantId: string,
    looked: Sql,
    text: string,
    limit: number,
  ): Promise<{ items: UserRow[]; looked: number }> {
    const rows = await reader.all(sql<UserRow & { looked: number }>`
      with looked as materialized (${looked}),
        found as (select id from looked where ${trigrams.contains(text)} order by id limit ${limit})
      select counted.looked, ${every}
      from (select count(*) as looked from looked) as counted
      left join users on tenant_id = ${tenantId} and id in (select id from found)
      order by id`)
    return {
      items: rows.filter(({ id }) => id !== null),
      looked: rows[0]?.looked ?? 0,
    }
  }

  return async (
    tenantId: string,
    text: string,
    { disabled, verified }: UserQuery,
    { after, limit }: SearchPage,
  ): Promise<Found<UserRow>> => {
    const { index, states } = stateOf({ column: 'id', disabled, verified })
    const isBehind = sql`tenant_id = ${tenantId} and id > ${after?.id ?? ''}`
    const users = trigrams.texts(index === undefined ? sql`` : indexedBy(index))
    const of = (count: number) => sql`select id, search_text from ${users}
      where ${isBehind} and ${states} order by id limit ${count}`
    const first = await among(tenantId, of(LOOKED_AT), text, limit + 1)
    if (first.items.length > limit || first.looked < LOOKED_AT) return pageOf(first.items, limit)
    const sample = await reader.all(sql<{ search_text: string | null }>`${of(SAMPLE)}`)
    const rare = rareTrigrams(
      text,
      sample.map(({ search_text }) => search_text ?? ''),
    )
    const { from, is } = trigrams.find(text, rare)
    const isOf = sql`users.tenant_id = ${tenantId} and users.id > ${after?.id ?? ''}`
    const indexed = sql`select users.id, search_text from ${from} where ${is} and ${isOf} and ${states}`
    const { items } = await among(tenantId, indexed, text, limit + 1)
    return pageOf(items, limit)
  }
}

/** Users in an order other than that of their creation. */
function createOrderedList({ reader, indexedBy }: Pick<Engine, 'reader' | 'indexedBy'>): List {
  type Placed = UserRow & { place: string | number }

  async function rowsOf(query: Sql, limit: number): Promise<Found<UserRow>> {
    return pageOf(await reader.all(sql<Placed>`${query} limit ${limit + 1}`), limit)
  }

  return (tenantId, { order, disabled, verified }, { after, limit }) => {
    if (order === 'login') {
      const { key, id } = after ?? { key: '', id: '' }
      const isBehind =
        after === undefined ? sql`1 = 1` : sql`(at, user_id) < (${Number(key)}, ${id})`
      return rowsOf(
        sql`select ${every}, at as place from (
            select user_id, at from last_logins ${indexedBy('last_logins_by_time')}
            where tenant_id = ${tenantId} and ${isBehind} order by at desc, user_id desc
            limit ${limit + 1}) as latest
          join users on tenant_id = ${tenantId} and id = user_id
          order by at desc, user_id desc`,
        limit,
      )
    }
    if (order === 'name') {
      const { index, states } = stateOf({ column: 'name_key', disabled, verified })
      const { key, id } = after ?? { key: '', id: '' }
      return rowsOf(
        sql`select ${every}, name_key as place from users ${indexedBy(index ?? 'users_by_name')}
          where tenant_id = ${tenantId} and (name_key, id) > (${key}, ${id}) and ${states}
          order by name_key, id`,
        limit,
      )
    }
    const { index, states } = stateOf({ column: 'id', disabled, verified })
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
