import type { Compilable, Insertable, Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/**
 * A query that is compiled once and then only bound: building it anew costs more than running it.
 *
 * @param build - Makes the query from its parameters; called once, with stand-ins, so it must not
 *   look at their values.
 */
export function prepared<P extends readonly (string | number)[], R>(
  db: Pick<Kysely<unknown>, 'getExecutor'>,
  parameterCount: P['length'],
  build: (...parameters: P) => Compilable<R>,
): (...parameters: P) => Promise<R[]> {
  const standIns: unknown[] = Array.from({ length: parameterCount }, (_, index) => ({ index }))
  const compiled = build(...(standIns as unknown as P)).compile()
  const slots = compiled.parameters.map((value) => standIns.indexOf(value))
  const executor = db.getExecutor()

  return async (...values) => {
    const parameters = compiled.parameters.map((value, i) => {
      const slot = slots[i] as number
      return slot < 0 ? value : values[slot]
    })
    const { rows } = await executor.executeQuery<R>({ ...compiled, parameters })
    return rows
  }
}

/** An insert of one whole row that is compiled once. */
export function preparedInsert<T extends keyof Schema & string, R extends Insertable<Schema[T]>>(
  db: Kysely<Schema>,
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
