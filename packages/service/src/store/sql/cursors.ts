import { sql } from 'kysely'
import { type CursorStore, movedBehind } from '../cursors.ts'
import { toEntry } from './audit.ts'
import { columns } from './columns.ts'
import type { Engine } from './engine.ts'

/** The progress of the readers of the audit log, in a database that one process serves from. */
export function createCursors({ reader: db, writer, write }: Engine): CursorStore {
  return {
    async claim(reader) {
      const rows = await db
        .selectFrom('cursors')
        .select(['shard', 'position', 'fence'])
        .where('reader', '=', reader)
        .where('position', '<', sql<number>`(select coalesce(max(id), 0) from audit)`)
        .execute()
      return rows.length === 0 ? undefined : rows.map((row) => ({ ...row, ahead: [] }))
    },

    async read(shards, limit) {
      const from = Math.min(...shards.map(({ position }) => position))
      const query = db.selectFrom('audit').select(columns.audit).where('id', '>', from)
      const entries = (await query.orderBy('id').limit(limit).execute()).map(toEntry)
      // One process writes: what is visible is complete.
      const settled = entries.at(-1)?.id ?? from
      return { entries, shards: movedBehind(shards, entries, settled, false) }
    },

    keep: (reader, shards) =>
      write(async () => {
        for (const { shard, position } of shards) {
          await writer
            .updateTable('cursors')
            .set({ position })
            .where('reader', '=', reader)
            .where('shard', '=', shard)
            .execute()
        }
        return [...shards]
      }),

    async lag() {
      // SQLite takes no aggregate of an outer query within an inner one.
      const { rows } = await sql<{ reader: string; at: number | null }>`
        select reader, (select at from audit where id > position order by id limit 1) as at
        from (select reader, min(position) as position from cursors group by reader)`.execute(db)
      return rows.map(({ reader, at }) => ({ reader, oldestAt: at ?? undefined }))
    },
  }
}
