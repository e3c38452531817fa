import { StoreError } from '../errors.ts'
import { once, script, sql } from '../sql/sql.ts'
import { SYSTEM_TENANT_ID } from '../system-tenant.ts'
import type { Connections } from './connections.ts'
import { followSettled } from './settled.ts'

/** A list whose counter (`counted`) differs from the number of its rows (`rows`). */
interface Drift {
  /** The name of the counter, such as `users:<id of the tenant>`. */
  scope: string
  counted: number
  rows: number
}

/**
 * The `with` clause that finds counters that differ. The system tenant and deleted tenants are in
 * no list, so they are not counted.
 */
const COUNTED = sql`with rows as (
    select 'tenants' as scope, count(*) as n from tenants
      where id <> ${SYSTEM_TENANT_ID} and deleted_at is null
    union all select 'users:' || tenant_id, count(*) from users group by tenant_id
    union all select 'applications:' || tenant_id, count(*) from applications group by tenant_id
  ), drift as (
    select scope, coalesce(counters.value, 0) as counted, coalesce(rows.n, 0) as found
    from counters full join rows using (scope)
    where coalesce(counters.value, 0) <> coalesce(rows.n, 0)
  )`

/**
 * Compares the counters with the numbers of rows. One statement does this, so other processes may
 * write meanwhile. Resolves to the counters that differ.
 */
export async function counterDrift(connections: Connections): Promise<Drift[]> {
  const { rows } = await connections.read(
    once(sql<Drift>`${COUNTED} select scope, counted, found as rows from drift order by scope`),
  )
  return rows
}

/**
 * Sets the counters to the numbers of rows. A lock keeps other processes from changing a counter
 * meanwhile.
 */
export async function repairCounters(connections: Connections): Promise<void> {
  await connections.use(async (run) => {
    await run(script('begin'))
    try {
      // Other processes that write users wait until the users are counted.
      await run(script('lock table counter_shards in exclusive mode'))
      await run(
        once(sql`insert into counter_shards (scope, shard, n) ${COUNTED}
        select scope, 0, found - counted from drift
        on conflict (scope, shard) do update set n = counter_shards.n + excluded.n`),
      )
      await run(script('commit'))
    } catch (error) {
      await run(script('rollback')).catch(() => {})
      throw error
    }
  })
}

/**
 * The number of seconds by which this machine's clock is ahead of PostgreSQL's; negative if it is
 * behind.
 */
export async function clockDifference(connections: Connections): Promise<number> {
  const asked = Date.now()
  const { rows } = await connections.read(
    once(sql<{ at: number }>`select extract(epoch from clock_timestamp())::float8 as at`),
  )
  const [row] = rows
  if (!row) throw new StoreError('PostgreSQL does not say what time it is.')
  // PostgreSQL read its clock at some moment between the request and the response.
  return ((asked + Date.now()) / 2 - row.at * 1_000) / 1_000
}

/** Positions in the audit log that should agree. After a restore by hand, they may not agree. */
export interface LogEnds {
  /** The last id that was assigned. */
  last: number
  /** The id of the newest entry. */
  newest: number
  /** The position of the reader that is furthest ahead. */
  read: number
  /** The id up to which an export is complete at the moment. */
  exported: number
}

/** Reads the end of the audit log as its sequence, its readers and an export see it. */
export async function logEnds(connections: Connections): Promise<LogEnds> {
  const { settled: exported } = await followSettled(connections).wait()
  const { rows } = await connections.read(
    once(sql<Omit<LogEnds, 'exported'>>`
      select last_value as last, (select coalesce(max(id), 0) from audit) as newest,
        (select coalesce(max(position), 0) from cursors) as read from audit_id_seq`),
  )
  const [row] = rows
  if (!row) throw new StoreError('PostgreSQL does not say where the audit log ends.')
  return { ...row, exported }
}

/**
 * Sets the next id of the audit log after the highest id, and moves readers beyond the end back to
 * the end.
 */
export async function repairLogEnds(connections: Connections): Promise<void> {
  const end = sql`(select greatest(last_value, (select max(id) from audit)) from audit_id_seq)`
  await connections.write(once(sql`select setval('audit_id_seq', ${end})`))
  await connections.write(
    once(sql`update cursors set position = ${end}, ahead = '[]' where position > ${end}`),
  )
}
