import type { Row } from '../sql/prepared.ts'
import { SYSTEM_TENANT_ID } from '../system-tenant.ts'
import type { Run } from './connections.ts'
import { COUNTER_SHARDS } from './migrations.ts'

/** How many rows one statement inserts. */
const BATCH = 1_000

/** Inserts rows of text and numbers, many a statement; answers how many. */
export async function copyRows(run: Run, table: string, rows: Iterable<Row>): Promise<number> {
  const types = await columnTypes(run, table)
  let batch: Row[] = []
  let count = 0
  async function flush(): Promise<void> {
    const [first] = batch
    if (!first) return
    const columns = Object.keys(first)
    const arrays = columns.map((name, i) => `$${i + 1}::${types.get(name)}[]`)
    await run(
      {
        sql: `insert into ${table} (${columns.join(', ')}) select ${columns.join(', ')}
          from unnest(${arrays.join(', ')}) as rows (${columns.join(', ')})`,
        parameters: columns.map((name) => batch.map((row) => row[name])),
      },
      false,
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

/** How many rows a table holds. */
export async function countRows(run: Run, table: string): Promise<number> {
  const sql = `select count(*) as n from ${table}`
  const rows: { n: number }[] = (await run({ sql, parameters: [] }, false)).rows
  return rows[0]?.n ?? 0
}

/** Recounts lists, lets ids go on after the last one and tells other processes. */
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
  for (const sql of steps) await run({ sql, parameters: [] }, false)
}

async function columnTypes(run: Run, table: string): Promise<Map<string, string>> {
  const sql = `select column_name as name, data_type as type from information_schema.columns
    where table_schema = any(current_schemas(false)) and table_name = $1`
  const rows: { name: string; type: string }[] = (await run({ sql, parameters: [table] }, false))
    .rows
  return new Map(rows.map(({ name, type }) => [name, type]))
}
