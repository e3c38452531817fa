import type { Compilable, Insertable } from 'kysely'
import type { SqliteKysely } from './dialect.ts'
import type { Schema } from './schema.ts'

/**
 * A query that is compiled once and then only bound: building it anew, and the way through Kysely's
 * executor, cost more than running it.
 *
 * @param build - Makes the query from its parameters; called once, with stand-ins, so it must not
 *   look at their values.
 */
export function prepared<P extends readonly (string | number)[], R>(
  db: Pick<SqliteKysely<Schema>, 'run'>,
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
    return db.run<R>({ sql: compiled.sql, parameters }).rows
  }
}

/** An insert of one whole row that is compiled once. */
export function preparedInsert<T extends keyof Schema & string, R extends Insertable<Schema[T]>>(
  db: SqliteKysely<Schema>,
  table: T,
  columns: readonly (keyof R & string)[],
): (row: R) => Promise<unknown> {
  const insert = prepared(db, columns.length, (...values: (string | number)[]) =>
    db
      .insertInto(table)
      .values(Object.fromEntries(columns.map((column, i) => [column, values[i]])) as never),
  )
  return (row) => insert(...columns.map((column) => row[column] as string))
}
