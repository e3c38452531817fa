import { setTimeout as wait } from 'node:timers/promises'
import { StoreError } from '../../errors.ts'
import type { Change, Outcome } from '../../ports.ts'
import type { AuditEntry } from '../../records.ts'
import { storeChanges } from '../../sql/audit-details.ts'
import type { Engine } from '../../sql/engine.ts'
import { columnsOf, type TableName } from '../../sql/schema.ts'
import {
  type AnyRow,
  assign,
  bind,
  insertInto,
  join,
  matches,
  name,
  names,
  type Sql,
  sql,
} from '../../sql/sql.ts'
import { createReads, type Table, type TableDefinition } from '../../sql/table.ts'
import { toRow as auditRow } from '../../sql/tables/audit.ts'
import type { Connections } from '../connections.ts'
import { isConflict, isDuplicate, sqlState } from '../failure.ts'
import { createLines } from '../lines.ts'
import type { Rows } from '../statements.ts'
import { shardOf } from './counters.ts'

/** The maximum number of attempts of an update while other processes change the same row. */
const MAX_TRIES = 20

const FOREIGN_KEY_VIOLATION = '23503'

/**
 * Makes a table with frequent writes. Each write is one statement, together with its counter and
 * its audit entry, and holds no lock while JavaScript runs. An update is repeated if the `rev` of
 * its row has changed since it was read, so `change` may run several times.
 *
 * @param beside - The part of the statement that stores further data of a record that is inserted
 *   or updated.
 */
export function createFrequentTable<T, R extends AnyRow>(
  { reader }: Pick<Engine, 'reader'>,
  connections: Connections,
  definition: TableDefinition<T, R>,
  beside?: (record: T) => Sql,
): Table<T, readonly Sql[]> {
  const { key, toRow, fromRow } = definition
  const table = name(definition.name)
  const read = names([...new Set([...columnsOf(definition.name), 'rev'])])
  const current = sql<R & { rev: number }>`select ${read} from ${table} where ${matches(key)}`
  const deletion = sql`delete from ${table} where ${matches(key)}`
  const insertion = boundTo((columns) => insertInto(definition.name, columns))
  const assignment = boundTo(assign)
  const setting = (row: AnyRow) =>
    assignment(
      Object.fromEntries(
        Object.entries(row).filter(([column]) => !key.includes(column) && column !== 'rev'),
      ),
    )
  const complete = createCompletion(definition, read, beside)
  const inLine = createLines()

  async function tryUpdate(
    values: readonly string[],
    change: Change<T>,
    audit: AuditEntry,
    step?: (row: AnyRow) => readonly Sql[] | undefined,
  ): Promise<Outcome<T> | 'conflict'> {
    const { rows } = await connections.read(bind(current, values))
    const [row] = rows
    if (!row) return { kind: 'missing' }
    const before = fromRow(row)
    const after = change(before)
    if (after === before) return { kind: 'unchanged', record: after }
    const next = toRow(after)
    const belonging = { audit, record: after, further: step?.(next) }
    const writes = sql`update ${table} set ${setting(next)}, rev = rev + 1
      where ${matches(key, values)} and rev = ${row.rev}`
    try {
      const written = await again(() => connections.write(complete(writes, next, belonging)))
      return written.rows.length > 0 ? { kind: 'written', record: after } : 'conflict'
    } catch (error) {
      if (isDuplicate(error)) return { kind: 'duplicate' }
      throw error
    }
  }

  return {
    ...createReads(reader, definition),

    async insert(record, audit, step) {
      const row = toRow(record)
      const writes = sql`${insertion(row)} on conflict do nothing`
      const statement = complete(writes, row, { audit, by: 1, record, further: step?.(row) })
      try {
        const { rows } = await again(() => connections.write(statement))
        return rows.length === 0 ? { kind: 'duplicate' } : { kind: 'written', record }
      } catch (error) {
        if (sqlState(error) === FOREIGN_KEY_VIOLATION) return { kind: 'missing' }
        // A further step has caused this error. A duplicate of the row itself causes no error,
        // because of `on conflict do nothing`.
        if (isDuplicate(error)) return { kind: 'duplicate' }
        throw error
      }
    },

    update: (values, change, audit, step) =>
      inLine(values.join(' '), async () => {
        for (let tries = 0; tries < MAX_TRIES; tries++) {
          if (tries > 2) await wait(Math.random() * Math.min(2 ** tries, 100))
          const outcome = await tryUpdate(values, change, audit, step)
          if (outcome !== 'conflict') return outcome
        }
        throw new StoreError(`Too many processes change the same object (${values.join(' ')}).`)
      }),

    async delete(values, audit, step): Promise<Outcome<T>> {
      const row = Object.fromEntries(key.map((column, i) => [column, values[i] ?? null]))
      const statement = complete(bind(deletion, values), row, {
        ...{ audit, by: -1, further: step?.(row) },
      })
      const [deleted] = (await again(() => connections.write(statement))).rows
      return deleted ? { kind: 'written', record: fromRow(deleted) } : { kind: 'missing' }
    },
  }
}

/**
 * The data for the further parts of a statement that writes a row. `by`: the change of the counter.
 * `record`: the record for the part `beside`.
 */
interface Belonging<T> {
  audit: AuditEntry
  by?: 1 | -1
  record?: T
  /**
   * Further parts. They get the names `further1`, `further2` and so on, so that a part can refer to
   * an earlier part.
   */
  further?: readonly Sql[] | undefined
}

/**
 * Makes the function that completes the write of a row: it adds the counter, the audit entry and
 * the further parts.
 *
 * @param read - The columns that the statement returns.
 */
function createCompletion<T, R extends AnyRow>(
  { key, counter }: TableDefinition<T, R>,
  read: Sql,
  beside: ((record: T) => Sql) | undefined,
) {
  const within = key.slice(0, -1)
  return (writes: Sql, row: AnyRow, { audit, by, record, further = [] }: Belonging<T>): Sql<R> => {
    const parts = [
      sql`written as (${writes} returning ${read})`,
      sql`audited as (${insertFurther('audit', auditRow(audit))} returning id)`,
    ]
    if (audit.changes?.length) {
      parts.push(sql`noted as (${storeChanges(audit.changes, sql`select id from audited`)})`)
    }
    if (counter && by) {
      const scope = counter(...within.map((column) => String(row[column])))
      parts.push(sql`counted as (update counter_shards set n = n + ${by} from written
        where scope = ${scope ?? null} and shard = ${shardOf(String(row.id))})`)
    }
    if (record && beside) parts.push(sql`beside as (${beside(record)})`)
    for (const [i, part] of further.entries()) {
      parts.push(sql`${name(`further${i + 1}`)} as (${part})`)
    }
    return sql`with ${join(parts)} select ${read} from written`
  }
}

/** Runs a write, and repeats it while it is rolled back because of another transaction. */
async function again<R>(write: () => Promise<Rows<R>>): Promise<Rows<R>> {
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

/**
 * Makes a function from a row to a part of a statement. The part is built for the first row; later
 * rows only bind their values. All rows must have the same columns in the same order.
 */
function boundTo(build: (columns: string[]) => Sql): (row: AnyRow) => Sql {
  let part: Sql | undefined
  return (row) => {
    part ??= build(Object.keys(row))
    return bind(part, Object.values(row))
  }
}

/** The part of a statement that inserts a row if the part `written` has written a row. */
export function insertFurther(table: TableName, row: AnyRow): Sql {
  const values = Object.values(row).map((value) =>
    typeof value === 'number' ? sql`${value}::bigint` : sql`${value}::text`,
  )
  return sql`insert into ${name(table)} (${names(Object.keys(row))}) select ${join(values)} from written`
}
