import type { RestoreStore } from '../../ports.ts'
import type { Engine } from '../engine.ts'
import type { Row } from '../schema.ts'
import { insertInto, type Sql, sql } from '../sql.ts'
import type { AddEntry } from '../table.ts'
import { toRow } from './audit.ts'

/** The parts of a restore that differ between the databases. */
interface Own {
  /**
   * The statement after which new entries of the audit log get ids above `id`. It is needed because
   * an entry was inserted with this id.
   */
  continueFrom?: (id: number) => Sql
  /** Further assignments for an update of a user, beginning with a comma. */
  touchUser: Sql
}

/** The expression that is 1 if the object with an id still has to be confirmed, else 0. */
export function isUnconfirmed(id: Sql): Sql {
  return sql`case when exists (select 1 from unconfirmed where unconfirmed.id = ${id}) then 1 else 0 end`
}

/**
 * Creates the {@link RestoreStore} of an SQL database, which records that a backup was restored.
 */
export function createRestores(engine: Engine, addEntry: AddEntry, own: Own): RestoreStore {
  const { reader, writer, write, lastEntry } = engine

  return {
    note: (restore, audit) =>
      write(async () => {
        const { at, past = 0, keepsAccess } = restore
        const end = await writer.first(sql<{ id: number }>`select ${lastEntry} as id`)
        const ends = end?.id ?? 0
        // `begins` is the id of the first audit entry after the restore. It depends on the time, so
        // that the logs of two restores of one backup never use the same ids for different entries.
        const begins = Math.max(ends + 1, past + 1, at)
        await writer.run(insertInto('restores', ['begins', 'ends', 'at'], [begins, ends, at]))
        const entry = { ...toRow(audit), id: begins }
        await writer.run(insertInto('audit', Object.keys(entry), Object.values(entry)))
        if (own.continueFrom) await writer.all(own.continueFrom(begins))
        if (!keepsAccess) {
          await writer.run(sql`insert into unconfirmed (id, kind, since)
            select id, 'api_key', ${at} from api_keys where revoked_at is null
              and id not in (select id from unconfirmed)`)
          await writer.run(sql`insert into unconfirmed (id, kind, since)
            select id, 'operator', ${at} from operators where id not in (select id from unconfirmed)`)
        }
        await writer.run(sql`update webhooks set disabled = 'restored', missing_from =
            coalesce(missing_from, (select min(position) from cursors where reader = 'webhooks'))
          where disabled is null`)
        await writer.run(sql`update users set sessions_valid_after = ${at}${own.touchUser}
          where sessions_valid_after < ${at}`)
        return { kind: 'written', record: { at, ends, begins } }
      }),

    async latest() {
      return reader.first(
        sql<Row<'restores'>>`select begins, ends, at from restores order by begins desc limit 1`,
      )
    },

    async logName() {
      const row = await reader.first(sql<{ name: string }>`select name from audit_log`)
      return row?.name ?? ''
    },

    confirm: (id, audit) =>
      write(async () => {
        const removed = await writer.run(sql`delete from unconfirmed where id = ${id}`)
        if (removed === 0) return { kind: 'missing' }
        await addEntry(audit)
        return { kind: 'written', record: id }
      }),
  }
}
