import type { Compilable } from 'kysely'
import type { Queries } from './engine.ts'
import type { Schema } from './schema.ts'

/** The values of a column. */
export type Value = string | number | null

/** A row by the names of its columns. */
export type Row = { [column: string]: Value }

/**
 * A query that is compiled once and then only bound: building it each time, and the way through
 * Kysely's executor, cost more than running it.
 *
 * @param build - Makes the query from its parameters; called once, with stand-ins, so it must not
 *   look at their values.
 */
export function prepared<P extends readonly Value[], R>(
  db: Pick<Queries<Schema>, 'run'>,
  parameterCount: P['length'],
  build: (...parameters: P) => Compilable<R>,
): (...parameters: P) => Promise<R[]> {
  const standIns: unknown[] = Array.from({ length: parameterCount }, (_, index) => ({ index }))
  const compiled = build(...(standIns as unknown as P)).compile()
  const slots = compiled.parameters.map((value) => standIns.indexOf(value))

  return async (...values) => {
    const parameters = compiled.parameters.map((value, i) => {
      const slot = slots[i] as number
      return slot < 0 ? value : values[slot]
    })
    const result = db.run<R>({ sql: compiled.sql, parameters })
    // Not awaited where it is there: every turn costs, and a login reads a dozen rows.
    return result instanceof Promise ? (await result).rows : result.rows
  }
}

/** An insert of one whole row that is compiled at the first one; rows have all columns in one order. */
export function preparedInsert(
  db: Queries<Schema>,
  table: keyof Schema,
): (row: Row) => Promise<unknown> {
  let insert: ((...values: Value[]) => Promise<unknown>) | undefined
  function prepareFor(columns: string[]) {
    return prepared(db, columns.length, (...values: Value[]) =>
      db
        .insertInto(table)
        .values(Object.fromEntries(columns.map((column, i) => [column, values[i]])) as never),
    )
  }
  return (row) => {
    insert ??= prepareFor(Object.keys(row))
    return insert(...Object.values(row))
  }
}
