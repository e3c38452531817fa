import type { Engine, Queries } from '../sql/engine.ts'
import { list, sql } from '../sql/sql.ts'

/** Makes counters with one row each. One row is enough, because there is only one writer. */
export function createCounters(writer: Queries): Engine['counters'] {
  return {
    async create(scopes) {
      for (const scope of scopes) {
        await writer.run(sql`insert into counters (scope, value) values (${scope}, 0)`)
      }
    },
    add: (scope, by) =>
      writer.run(sql`insert into counters (scope, value) values (${scope}, ${by})
        on conflict (scope) do update set value = counters.value + excluded.value`),
    remove: (scopes) => writer.run(sql`delete from counters where scope in (${list(scopes)})`),
  }
}
