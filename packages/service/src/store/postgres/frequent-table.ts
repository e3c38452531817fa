import { setTimeout as wait } from 'node:timers/promises'
import { StoreError } from '../errors.ts'
import type { Outcome } from '../ports.ts'
import type { AuditEntry } from '../records.ts'
import { toRow as auditRow, type Record } from '../sql/audit.ts'
import { columnsOf } from '../sql/columns.ts'
import type { Engine } from '../sql/engine.ts'
import type { Row } from '../sql/prepared.ts'
import { createTable, type Table, type TableDefinition } from '../sql/table.ts'
import type { Connections, Rows, Statement } from './connections.ts'
import { shardOf } from './counters.ts'
import { isConflict, isDuplicate, sqlState } from './failure.ts'
import { createLines } from './lines.ts'
import { type Draft, draft, type Further, insertRow } from './statement.ts'

/** How often an update is tried while other processes change the same row. */
const MAX_TRIES = 20

const FOREIGN_KEY_VIOLATION = '23503'

/**
 * A table that is written often: each write is one statement, together with its counter, its audit
 * entry and what else belongs to it, and no lock is held while JavaScript runs. An update is a
 * comparison with the `rev` that was read, so `change` may run several times.
 *
 * @param beside - The part of the statement that stores something else of a record that was inserted or updated.
 */
export function createFrequentTable<T>(
  engine: Engine,
  record: Record,
  connections: Connections,
  definition: TableDefinition<T>,
  beside?: (record: T, one: Draft) => string,
): Table<T, Further> {
  const { name, key, counter, toRow } = definition
  const fromRow = definition.fromRow as unknown as (row: Row) => T
  const { byId, byUnique, page } = createTable(engine, record, definition)
  const inLine = createLines()
  const within = key.slice(0, -1)
  const read = withRev(name)

  /** Reads the committed row that an update compares with. */
  async function current(values: readonly string[]): Promise<Row | undefined> {
    const one = draft()
    const where = one.matches(key, values)
    const { rows } = await connections.read(
      one.as(`select ${read} from ${name} where ${where}`),
      true,
    )
    return rows[0]
  }

  /** The whole statement, from the part that writes the row. */
  function complete(
    one: Draft,
    writes: string,
    row: Row,
    { audit, by, record, further }: Belonging<T>,
  ): Statement {
    const parts = [
      `written as (${writes} returning ${read})`,
      `audited as (${insertRow('audit', auditRow(audit), one)})`,
    ]
    if (counter && by) {
      const scope = counter(...within.map((column) => String(row[column])))
      parts.push(
        `counted as (update counter_shards set n = n + ${by} from written
          where scope = ${one.bind(scope)} and shard = ${one.bind(shardOf(String(row.id)))})`,
      )
    }
    if (record && beside) parts.push(`beside as (${beside(record, one)})`)
    if (further) parts.push(`further as (${further(one)})`)
    return one.as(`with ${parts.join(', ')} select ${read} from written`)
  }

  return {
    byId,
    byUnique,
    page,

    async insert(inserted, audit, step) {
      const row = toRow(inserted)
      const one = draft()
      const values = Object.values(row).map((value) => one.bind(value))
      const writes = `insert into ${name} (${Object.keys(row).join(', ')})
        values (${values.join(', ')}) on conflict do nothing`
      try {
        const belonging = { audit, by: 1, record: inserted, further: step?.(row) } as const
        const statement = complete(one, writes, row, belonging)
        const { rows } = await again(() => connections.write(statement))
        return rows.length === 0 ? { kind: 'duplicate' } : { kind: 'written', record: inserted }
      } catch (error) {
        if (sqlState(error) === FOREIGN_KEY_VIOLATION) return { kind: 'missing' }
        // Of a further step: the row itself does nothing then.
        if (isDuplicate(error)) return { kind: 'duplicate' }
        throw error
      }
    },

    update: (values, change, audit, step) =>
      inLine(values.join(' '), async () => {
        for (let tries = 0; tries < MAX_TRIES; tries++) {
          if (tries > 2) await wait(Math.random() * Math.min(2 ** tries, 100))
          const row = await current(values)
          if (!row) return { kind: 'missing' }
          const before = fromRow(row)
          const after = change(before)
          if (after === before) return { kind: 'unchanged', record: after }
          const next = toRow(after)
          const one = draft()
          const set = Object.keys(next)
            .filter((column) => !key.includes(column) && column !== 'rev')
            .map((column) => `${column} = ${one.bind(next[column])}`)
          const writes = `update ${name} set ${set.join(', ')}, rev = rev + 1
            where ${one.matches([...key, 'rev'], [...values, row.rev])}`
          const written = await unlessDuplicate(() =>
            connections.write(
              complete(one, writes, next, { audit, record: after, further: step?.(next) }),
            ),
          )
          if (written === 'duplicate') return { kind: 'duplicate' }
          if (written.rows.length > 0) return { kind: 'written', record: after }
        }
        throw new StoreError(`Too many processes change the same object (${values.join(' ')}).`)
      }),

    async delete(values, audit, step): Promise<Outcome<T>> {
      const row = Object.fromEntries(key.map((column, i) => [column, values[i] ?? null]))
      const one = draft()
      const writes = `delete from ${name} where ${one.matches(key, values)}`
      const statement = complete(one, writes, row, { audit, by: -1, further: step?.(row) })
      const [deleted] = (await again(() => connections.write(statement))).rows
      return deleted ? { kind: 'written', record: fromRow(deleted) } : { kind: 'missing' }
    },
  }
}

/** The further parts of a statement that writes a row; those beside it need the record. */
interface Belonging<T> {
  audit: AuditEntry
  by?: 1 | -1
  record?: T
  further?: Further | undefined
}

async function unlessDuplicate(write: () => Promise<Rows>): Promise<Rows | 'duplicate'> {
  try {
    return await again(write)
  } catch (error) {
    if (isDuplicate(error)) return 'duplicate'
    throw error
  }
}

/** Repeats a write that was rolled back because of another transaction. */
async function again(write: () => Promise<Rows>): Promise<Rows> {
  for (let tries = 1; ; tries++) {
    try {
      return await write()
    } catch (error) {
      const cause = error instanceof StoreError ? error.cause : error
      if (tries === MAX_TRIES || !isConflict(cause)) throw error
      await wait(Math.random() * 20)
    }
  }
}

/** The columns of a table with the version of the row. */
function withRev(table: string): string {
  return [...new Set([...columnsOf(table), 'rev'])].join(', ')
}
