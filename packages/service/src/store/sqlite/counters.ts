import type { Engine, Queries } from '../sql/engine.ts'
import { prepared } from '../sql/prepared.ts'
import type { Schema } from '../sql/schema.ts'

/** Counters of one row each, as there is one writer. */
export function createCounters(writer: Queries<Schema>): Engine['counters'] {
  const add = prepared<[string, number], never>(writer, 2, (scope, value) =>
    writer
      .insertInto('counters')
      .values({ scope, value })
      .onConflict((conflict) =>
        conflict
          .column('scope')
          .doUpdateSet((eb) => ({ value: eb('counters.value', '+', eb.ref('excluded.value')) })),
      ),
  )
  return {
    create: (scopes) =>
      writer
        .insertInto('counters')
        .values(scopes.map((scope) => ({ scope, value: 0 })))
        .execute(),
    add,
    remove: (scopes) => writer.deleteFrom('counters').where('scope', 'in', scopes).execute(),
  }
}
