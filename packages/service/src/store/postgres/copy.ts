import { type AnyRow, join, name, names, once, raw, script, sql } from '../sql/sql.ts'
import { SYSTEM_TENANT_ID } from '../system-tenant.ts'
import { COUNTER_SHARDS } from './migrations.ts'
import type { Run } from './statements.ts'

/** The maximum number of rows that one statement inserts. */
const BATCH = 1_000

/**
 * Inserts rows of texts and numbers, {@link BATCH} with each statement. All rows must have the
 * columns of the first row.
 *
 * @returns The number of inserted rows.
 */
export async function copyRows(run: Run, table: string, rows: Iterable<AnyRow>): Promise<number> {
  const types = await columnTypes(run, table)
  let batch: AnyRow[] = []
  let count = 0
  async function flush(): Promise<void> {
    const [first] = batch
    if (!first) return
    const columns = Object.keys(first)
    const arrays = columns.map((column) => {
      const values = batch.map((row) => row[column] ?? null)
      return sql`${values}::${raw(`${types.get(column)}[]`)}`
    })
    await run(
      once(sql`insert into ${name(table)} (${names(columns)}) select ${names(columns)}
        from unnest(${join(arrays)}) as rows (${names(columns)})`),
    )
    count += batch.length
    batch = []
  }
  for (const row of rows) {
    batch.push(row)
    if (batch.length === BATCH) await flush()
  }
  await flush()
  return count
}

/** The number of rows in a table. */
export async function countRows(run: Run, table: string): Promise<number> {
  const { rows } = await run(once(sql<{ n: number }>`select count(*) as n from ${name(table)}`))
  return rows[0]?.n ?? 0
}

/**
 * Recounts the lists, sets the next ids of `audit` and `deliveries` after the highest ids, and
 * makes other processes reload all records.
 */
export async function finishCopy(run: Run): Promise<void> {
  const shards = `generate_series(0, ${COUNTER_SHARDS - 1}) as shard`
  const ofTenants = (name: string) =>
    `select '${name}:' || tenants.id, shard, case when shard > 0 then 0 else
      (select count(*) from ${name} where tenant_id = tenants.id) end from tenants, ${shards}`
  const steps = [
    'delete from counter_shards',
    `insert into counter_shards ${ofTenants('users')}`,
    `insert into counter_shards ${ofTenants('applications')}`,
    `insert into counter_shards select 'tenants', shard,
      case when shard > 0 then 0 else (select count(*) from tenants
        where id <> '${SYSTEM_TENANT_ID}' and deleted_at is null) end from ${shards}`,
    `select setval(pg_get_serial_sequence('audit', 'id'), max(id)) from audit having max(id) > 0`,
    `select setval(pg_get_serial_sequence('deliveries', 'id'), max(id)) from deliveries having max(id) > 0`,
    'update revision set n = n + 1',
  ]
  for (const step of steps) await run(script(step))
}

async function columnTypes(run: Run, table: string): Promise<Map<string, string>> {
  const { rows } = await run(
    once(sql<{ name: string; type: string }>`
      select column_name as name, data_type as type from information_schema.columns
      where table_schema = any(current_schemas(false)) and table_name = ${table}`),
  )
  return new Map(rows.map(({ name, type }) => [name, type]))
}
