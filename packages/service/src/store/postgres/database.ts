import pg from 'pg'
import type { Engine } from '../sql/engine.ts'
import { name, script, sql } from '../sql/sql.ts'
import type { Connections } from './connections.ts'
import { isDuplicate } from './failure.ts'
import { createLines } from './lines.ts'
import { createPostgresQueries } from './queries.ts'
import { oncePreparedAgain, type Run } from './statements.ts'
import { createCounters } from './tables/counters.ts'
import { createTrigrams } from './tables/trigrams.ts'

/**
 * The time, in milliseconds, for which a process that stops in the middle of a rare write blocks
 * other processes. Also the time that a rare write waits for a lock.
 */
const MAX_IDLE_MS = 5_000

/**
 * The number of revisions whose tenants stay stored. A process that is further behind reads
 * everything again.
 */
const KEPT_REVISIONS = 1_000

const BEGIN = `begin;
  set local idle_in_transaction_session_timeout = ${MAX_IDLE_MS};
  set local lock_timeout = ${MAX_IDLE_MS};
  update revision set n = n + 1`

/**
 * The statement that stores the tenants that a write concerns, and deletes the tenants of old
 * revisions. Empty if the write names no tenant.
 */
function noteOf(concerned: ReadonlySet<string>): string {
  if (concerned.size === 0) return ''
  const ids = [...concerned].map(pg.escapeLiteral).join(', ')
  return `with forgotten as (
      delete from revision_tenants where n < (select n - ${KEPT_REVISIONS} from revision))
    insert into revision_tenants (n, tenant_id) select n, unnest(array[${ids}]) from revision`
}

/**
 * Makes the interface of PostgreSQL for the tables.
 *
 * {@link Engine.write} is for rare writes. A rare write locks the row of the table `revision`, so
 * rare writes of all processes run one after another. A rare write that changes something also
 * writes a new revision.
 */
export function createDatabase(connections: Connections): Engine {
  const inLine = createLines()
  let current: Run | undefined
  let concerned = new Set<string>()
  const reader = createPostgresQueries(connections.read)
  const writer = createPostgresQueries((statement) => {
    if (!current) throw new Error('A query on the writing connection belongs inside write().')
    return current(statement)
  })

  async function transaction<T>(run: Run, work: () => Promise<T>): Promise<T> {
    const say = (text: string) => run(script(text))
    await say(BEGIN)
    current = run
    concerned = new Set()
    try {
      const outcome = await work()
      await say(hasWritten(outcome) ? `${noteOf(concerned)}; commit` : 'rollback')
      return outcome
    } catch (error) {
      await say('rollback').catch(() => {})
      throw error
    } finally {
      current = undefined
    }
  }

  return {
    reader,
    writer,
    write: (work) =>
      inLine('', () => oncePreparedAgain(() => connections.use((run) => transaction(run, work)))),
    concerns: (tenantId) => void concerned.add(tenantId),
    isDuplicate,
    counters: createCounters(writer),
    lower: (column) => sql`lower(${name(column)} collate "C")`,
    byBytes: (column) => sql`${name(column)} collate "C"`,
    // PostgreSQL chooses the right index itself, by its statistics.
    indexedBy: () => sql``,
    lastEntry: sql`(select last_value from audit_id_seq)`,
    trigrams: createTrigrams(reader),
    json: {
      items: (json) => sql`(select json_array_elements_text(${json}::json))`,
      // PostgreSQL uses an index for a condition with an array. It would join two subqueries, and
      // read every user of the tenants.
      isOneOf: (column, json) =>
        sql`${name(column)} = any (array(select json_array_elements_text(${json}::json)))`,
      arrayOf: (column) =>
        sql`coalesce(json_agg(${name(column)} order by ${name(column)})::text, '[]')`,
    },
  }
}

/**
 * Whether the outcome of a write is `written`. A transaction with another outcome is rolled back,
 * so that it leaves no new revision.
 */
function hasWritten(outcome: unknown): boolean {
  return (outcome as { kind?: unknown } | undefined)?.kind === 'written'
}
