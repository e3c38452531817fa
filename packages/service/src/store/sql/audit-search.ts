import type { AuditFilter, AuditPage, AuditPart } from '../audit-search.ts'
import type { AuditStore, DayCount } from '../ports.ts'
import type { StoredAuditEntry } from '../records.ts'
import { LAST } from '../user-search.ts'
import type { Engine } from './engine.ts'
import { every as columnsIn, type Row } from './schema.ts'
import { join, list, name, once, raw, type Sql, separators, sql } from './sql.ts'

/**
 * A range of entries that an index returns in the order of time. `is`: the condition for the range.
 */
interface Lead {
  index: string
  is: Sql
}

const every = columnsIn('audit')

/**
 * Makes the search of the audit log in an SQL store. Each scan reads one index in the order of
 * time. A filter by actors or by the beginning of actions needs a scan for each action. The scans
 * are merged, so that every page is full.
 *
 * @param toEntry - Makes an entry from a row.
 */
export function createAuditSearch(
  engine: Pick<Engine, 'reader' | 'byBytes' | 'indexedBy'>,
  toEntry: (row: Row<'audit'>) => StoredAuditEntry,
): (tenantId: string | undefined, filter: AuditFilter, page: AuditPage) => Promise<AuditPart> {
  const { reader, indexedBy } = engine
  const action = engine.byBytes('action')

  /**
   * One lead for each existing action with this prefix. `is`: the condition on the first columns of
   * the index.
   */
  async function byAction(index: string, is: Sql, prefix: string): Promise<Lead[]> {
    const rows = await reader.all(sql<{ one: string }>`${actionsIn(engine, index, is, prefix)}
      select one from found where one is not null`)
    return rows.map(({ one }) => ({ index, is: sql`${is} and ${action} = ${one}` }))
  }

  async function leadsOf(
    tenantId: string | undefined,
    { actors, action: prefix = '' }: AuditFilter,
  ): Promise<Lead[]> {
    if (actors !== undefined) {
      const leads = actors.map((actor) => byAction('audit_by_actor', sql`actor = ${actor}`, prefix))
      return (await Promise.all(leads)).flat()
    }
    if (tenantId === undefined) {
      if (prefix === '') return [{ index: 'audit_by_time', is: sql`1 = 1` }]
      return byAction('audit_by_action', sql`1 = 1`, prefix)
    }
    const is = sql`tenant_id = ${tenantId}`
    if (prefix === '') return [{ index: 'audit_by_tenant_and_time', is }]
    return byAction('audit_by_tenant_and_action', is, prefix)
  }

  return async (tenantId, filter, { after, limit }) => {
    const { from = 0, to = Number.MAX_SAFE_INTEGER } = filter
    const before = after && after.at < to ? after : { at: to, id: 0 }
    const about = aboutOf(filter)
    const isIn = sql`at >= ${from} and (at, id) < (${before.at}, ${before.id})
      and ${tenantId === undefined ? sql`1 = 1` : sql`tenant_id = ${tenantId}`}
      ${filter.withoutJobs ? sql`and ${isOfNoJob}` : sql``}`
    const inOrder = sql`order by at desc, id desc limit ${limit + 1}`

    async function rowsOf(): Promise<Row<'audit'>[]> {
      // A target has few entries. A scan by time would also read the entries of all other targets.
      if (about) {
        return reader.all(sql<Row<'audit'>>`
          with about as materialized (select ${every} from audit where ${about})
          select ${every} from about
          where ${isIn} and ${matches(filter, action)} ${inOrder}`)
      }
      const leads = await leadsOf(tenantId, filter)
      if (leads.length === 0) return []
      const scans = leads.map(
        (
          { index, is },
          n,
        ) => sql`select ${every} from (select ${every} from audit ${indexedBy(index)}
          where ${is} and ${isIn} ${inOrder}) as ${name(`scan_${n}`)}`,
      )
      const all = join(scans, separators.unionAll)
      const found = sql<Row<'audit'>>`select ${every} from (${all}) as found ${inOrder}`
      // The statement is not kept, because its text depends on the number of scans.
      return reader.all(once(found))
    }

    const entries = (await rowsOf()).map(toEntry)
    const items = entries.slice(0, limit)
    const last = items.at(-1)
    return {
      items,
      next: entries.length > limit && last ? { at: last.at, id: last.id } : undefined,
    }
  }
}

/**
 * The condition that leaves out entries of jobs, whose request id is the id of a job and begins
 * with `job_`. In byte order, a backtick comes next after `_`.
 */
const isOfNoJob = sql`(request_id is null or request_id < 'job_' or request_id >= 'job\`')`

/**
 * The `with` clause that finds the existing actions with a prefix, as the column `found.one`. The
 * query steps through an index from each action to the next.
 */
function actionsIn(
  { byBytes, indexedBy }: Pick<Engine, 'byBytes' | 'indexedBy'>,
  index: string,
  is: Sql,
  prefix: string,
): Sql {
  const action = byBytes('action')
  const first = (than: Sql) => sql`(select ${action} from audit ${indexedBy(index)}
    where ${is} and ${action} ${than} and ${action} < ${prefix + LAST} order by ${action} limit 1)`
  return sql`with recursive found (one) as (
    select ${first(sql`>= ${prefix}`)}
    union all
    select ${first(sql`> found.one`)} from found where found.one is not null
  )`
}

/**
 * The index by action of a tenant, or of the whole service, with the condition on its first
 * columns.
 */
function byActionOf(tenantId: string | undefined): Lead {
  return tenantId === undefined
    ? { index: 'audit_by_action', is: sql`1 = 1` }
    : { index: 'audit_by_tenant_and_action', is: sql`tenant_id = ${tenantId}` }
}

/**
 * Makes {@link AuditStore.count} for an SQL store. One statement counts the entries of each action
 * that {@link actionsIn} finds.
 */
export function createAuditCount(
  engine: Pick<Engine, 'reader' | 'byBytes' | 'indexedBy'>,
): AuditStore['count'] {
  const action = engine.byBytes('action')
  return async (tenantId, { action: prefix, from, limit }) => {
    const { index, is } = byActionOf(tenantId)
    const rows = await engine.reader.all(sql<{ action: string; n: number }>`
      ${actionsIn(engine, index, is, prefix)}
      -- Compares action and time as one range of the index. With two conditions, PostgreSQL would scan all entries by
      -- time if it estimates that the action is frequent.
      select one as action, (select count(*) from (select 1 from audit ${engine.indexedBy(index)}
        where ${is} and (${action}, at) >= (found.one, ${from}) and ${action} <= found.one
        order by ${action}, at limit ${limit}) as counted) as n
      -- No prefix matches 30 actions, so the limit drops none. Without it, PostgreSQL estimates a hundred rows and
      -- compiles the statement (JIT), which takes longer than running it.
      from found where one is not null limit 30`)
    return new Map(rows.map(({ action, n }) => [action, n]))
  }
}

/** Makes {@link AuditStore.countByDay} for an SQL store. */
export function createAuditDays(
  engine: Pick<Engine, 'reader' | 'byBytes' | 'indexedBy'>,
): AuditStore['countByDay'] {
  const { reader, byBytes, indexedBy } = engine
  const action = byBytes('action')
  return async (tenantId, { action: prefix, from, limit }) => {
    const { index, is } = byActionOf(tenantId)
    const actions = await reader.all(sql<{ one: string }>`${actionsIn(engine, index, is, prefix)}
      select one from found where one is not null`)
    if (actions.length === 0) return []
    const counts = actions.map(
      ({ one }, n) => sql`select cast(${one} as text) as action, day, count(*) as n from (
        select at / ${DAY} as day from audit ${indexedBy(index)}
        where ${is} and ${action} = ${one} and at >= ${from} order by at desc limit ${limit}
      ) as ${name(`latest_${n}`)} group by day`,
    )
    // The statement is not kept, because its text depends on the number of actions.
    return reader.all(once(sql<DayCount>`${join(counts, separators.unionAll)}`))
  }
}

/**
 * The number of microseconds of a day, as text of the statement. With a parameter, the quotient
 * would be a fraction.
 */
const DAY = raw('86400000000')

/**
 * The condition for entries about a target, about a user and the user's objects, and of a request,
 * as far as the filter has them. `undefined` if the filter has none of these conditions.
 */
function aboutOf({ target, user, request }: AuditFilter): Sql | undefined {
  const isTarget = target !== undefined && sql`target = ${target}`
  // In byte order, `0` comes next after `/`.
  const isUser =
    user !== undefined &&
    sql`(target = ${user} or target >= ${`${user}/`} and target < ${`${user}0`})`
  const isOf = request !== undefined && sql`request_id = ${request}`
  const all = [isTarget, isUser, isOf].filter((one) => one !== false)
  return all.length > 0 ? join(all, separators.and) : undefined
}

function matches({ actors, action: prefix }: AuditFilter, action: Sql): Sql {
  const isBy = actors === undefined ? sql`1 = 1` : sql`actor in (${list(actors)})`
  if (prefix === undefined) return isBy
  return sql`${isBy} and ${action} >= ${prefix} and ${action} < ${prefix + LAST}`
}
