import { type CursorStore, movedBehind } from '../cursors.ts'
import type { Engine } from './engine.ts'
import type { Row } from './schema.ts'
import { sql } from './sql.ts'
import { entries as everyEntry, toEntry } from './tables/audit.ts'

/**
 * The positions of the readers of the audit log, in a database that only one process serves. Such a
 * process needs no leases and takes all shards at once.
 */
export function createCursors({ reader: db, writer, write }: Engine): CursorStore {
  return {
    async claim(reader) {
      const rows = await db.all(sql<Pick<Row<'cursors'>, 'shard' | 'position' | 'fence'>>`
        select shard, position, fence from cursors where reader = ${reader}
          and position < (select coalesce(max(id), 0) from audit)`)
      return rows.length === 0 ? undefined : rows.map((row) => ({ ...row, ahead: [] }))
    },

    async read(shards, limit) {
      const from = Math.min(...shards.map(({ position }) => position))
      const rows = await db.all(sql<Row<'audit'>>`${everyEntry}
        where id > ${from} order by id limit ${limit}`)
      const entries = rows.map(toEntry)
      // Only one process writes, so every entry up to the last one is visible.
      const settled = entries.at(-1)?.id ?? from
      return { entries, shards: movedBehind(shards, entries, settled, false) }
    },

    keep: (reader, shards) =>
      write(async () => {
        for (const { shard, position } of shards) {
          await writer.run(sql`update cursors set position = ${position}
            where reader = ${reader} and shard = ${shard}`)
        }
        return [...shards]
      }),

    async lag() {
      // SQLite does not allow an aggregate of an outer query in an inner query.
      const rows = await db.all(sql<{ reader: string; at: number | null }>`
        select reader, (select at from audit where id > position order by id limit 1) as at
        from (select reader, min(position) as position from cursors group by reader)`)
      return rows.map(({ reader, at }) => ({ reader, oldestAt: at ?? undefined }))
    },
  }
}
