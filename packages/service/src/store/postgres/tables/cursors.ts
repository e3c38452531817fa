import {
  type CursorStore,
  type HeldShard,
  LEASE_SECONDS,
  LOG_SHARDS,
  mayReadAhead,
  movedBehind,
} from '../../cursors.ts'
import { SLACK_SECONDS } from '../../queue-times.ts'
import type { Row } from '../../sql/schema.ts'
import { join, raw, separators, sql } from '../../sql/sql.ts'
import { entries as everyEntry, toEntry } from '../../sql/tables/audit.ts'
import type { Connections } from '../connections.ts'
import { LOG_STATE, type LogState, type Settled } from '../settled.ts'

type HeldRow = Omit<HeldShard, 'ahead'> & { ahead: string }

/**
 * Creates the {@link CursorStore} of a PostgreSQL database, which stores the positions of the
 * readers of the audit log. Any number of processes share the positions: a process leases a
 * position while it reads.
 */
export function createPostgresCursors(
  connections: Connections,
  settled: Settled,
  lastEntry: () => number | undefined,
): CursorStore {
  /** The last assigned id of the log when a reader last had nothing unread, by reader. */
  const readTo = new Map<string, number>()
  /** The id up to which the log is complete, as read by the last claim. */
  let settledAt = 0

  return {
    mayHaveUnread(reader) {
      const last = lastEntry()
      return last === undefined || readTo.get(reader) !== last
    },

    // One statement reads the end of the log and the unread shards, because a claim runs after
    // every change.
    async claim(reader, limit) {
      const isUnread = sql`reader = ${reader} and position < log_end.last`
      const { rows } = await connections.write(sql<
        LogState & { is_unread: boolean; taken: HeldRow[] }
      >`with log_end as materialized (${LOG_STATE}),
          taken as (update cursors set fence = fence + 1, held_until = ${LEASE_END}
            where (reader, shard) in (
              select reader, shard from cursors, log_end
              where ${isUnread} and (held_until < clock_timestamp() or held_until > ${FAR_AHEAD})
              order by held_until, shard limit ${limit} for update of cursors skip locked)
            returning shard, position, ahead, fence)
        select last, writers, known, server,
          exists (select from cursors, log_end where ${isUnread}) as is_unread,
          (select coalesce(json_agg(taken), '[]') from taken) as taken from log_end`)
      const [found] = rows
      if (!found) return undefined
      settledAt = settled.hear(found).settled
      if (!found.is_unread) {
        readTo.set(reader, found.last)
        return undefined
      }
      return found.taken.map((row) => ({ ...row, ahead: JSON.parse(row.ahead) }))
    },

    async read(shards, limit) {
      // The end was read before the entries, so that no entry up to this end can appear after the
      // query.
      const end = settledAt
      if (!mayReadAhead(shards)) {
        return { entries: [], shards: movedBehind(shards, [], end, true) }
      }
      const isOf = shards.map(
        ({ shard, position }) => sql`(${SHARD} = ${shard} and id > ${position})`,
      )
      const from = Math.min(...shards.map(({ position }) => position))
      const ahead = JSON.stringify(shards.flatMap((held) => held.ahead))
      const { rows } = await connections.read(sql<Row<'audit'>>`${everyEntry}
        where id > ${from} and (${join(isOf, separators.or)})
          and id not in (select value::bigint from json_array_elements_text(${ahead}::json))
        order by id limit ${limit}`)
      const entries = rows.map(toEntry)
      return {
        entries,
        shards: movedBehind(shards, entries, end, entries.length < limit),
      }
    },

    async keep(reader, shards, isLast) {
      if (shards.length === 0) return []
      const { rows } = await connections.write(sql<{ shard: number }>`
        update cursors set position = given.position, ahead = given.ahead,
          held_until = ${isLast ? sql`'-infinity'` : LEASE_END}
        from json_to_recordset(${JSON.stringify(shards.map(toRow))}::json)
          as given (shard smallint, position bigint, ahead text, fence bigint)
        where cursors.reader = ${reader} and cursors.shard = given.shard
          and cursors.fence = given.fence returning cursors.shard`)
      const ours = new Set(rows.map(({ shard }) => shard))
      return shards.filter(({ shard }) => ours.has(shard))
    },

    async lag() {
      const { rows } = await connections.read(sql<{ reader: string; at: number | null }>`
        select reader, min(at) as at from cursors left join lateral (
          select at from audit where id > position and ${SHARD} = shard order by id limit 1
        ) as oldest on true group by reader`)
      return rows.map(({ reader, at }) => ({ reader, oldestAt: at ?? undefined }))
    },
  }
}

/** The expression for the shard of an entry. */
const SHARD = raw(`ascii(right(tenant_id, 1)) % ${LOG_SHARDS}`)

const LEASE_END = raw(`clock_timestamp() + interval '${LEASE_SECONDS} seconds'`)

/** The expression for a time before which every lease ends, unless the clock was set back. */
const FAR_AHEAD = raw(`clock_timestamp() + interval '${LEASE_SECONDS + SLACK_SECONDS} seconds'`)

function toRow({ ahead, ...held }: HeldShard): HeldRow {
  return { ...held, ahead: JSON.stringify(ahead) }
}
