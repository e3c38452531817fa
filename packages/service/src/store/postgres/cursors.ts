import {
  type CursorStore,
  type HeldShard,
  LEASE_SECONDS,
  LOG_SHARDS,
  mayReadAhead,
  movedBehind,
} from '../cursors.ts'
import { toEntry } from '../sql/audit.ts'
import { columns } from '../sql/columns.ts'
import type { Connections } from './connections.ts'
import { LOOK, type Look, type Settled } from './settled.ts'
import { draft } from './statement.ts'

type Row = Omit<HeldShard, 'ahead'> & { ahead: string }

/** The progress of the readers of the audit log, which any number of processes share by leases. */
export function createPostgresCursors(
  connections: Connections,
  settled: Settled,
  lastEntry: () => number | undefined,
): CursorStore {
  /** By reader, the end of the log when nothing was unread. */
  const readTo = new Map<string, number>()
  /** The log was complete up to this id when a part of it was last claimed. */
  let settledAt = 0

  return {
    mayHaveUnread(reader) {
      const last = lastEntry()
      return last === undefined || readTo.get(reader) !== last
    },

    // One statement for the end of the log and the unread parts, as each change asks for both.
    async claim(reader, limit) {
      const one = draft()
      const unread = `reader = ${one.bind(reader)} and position < log_end.last`
      const { rows } = await connections.write(
        one.as(`with log_end as materialized (${LOOK}),
          taken as (update cursors set fence = fence + 1, held_until = ${LEASE_END}
            where (reader, shard) in (
              select reader, shard from cursors, log_end
              where ${unread} and held_until < clock_timestamp()
              order by held_until, shard limit ${one.bind(limit)} for update of cursors skip locked)
            returning shard, position, ahead, fence)
        select last, writers, known, exists (select from cursors where ${unread}) as is_unread,
          (select coalesce(json_agg(taken), '[]') from taken) as taken from log_end`),
      )
      const answers: (Look & { is_unread: boolean; taken: Row[] })[] = rows
      const [found] = answers
      if (!found) return undefined
      settledAt = settled.hear(found).settled
      if (!found.is_unread) {
        readTo.set(reader, found.last)
        return undefined
      }
      return found.taken.map((row) => ({ ...row, ahead: JSON.parse(row.ahead) }))
    },

    async read(shards, limit) {
      // Known before the entries are read, so that none of them can appear later.
      const end = settledAt
      if (!mayReadAhead(shards)) {
        return { entries: [], shards: movedBehind(shards, [], end, true) }
      }
      const one = draft()
      const of = shards.map(
        ({ shard, position }) =>
          `ascii(right(tenant_id, 1)) % ${LOG_SHARDS} = ${one.bind(shard)} and id > ${one.bind(position)}`,
      )
      const from = Math.min(...shards.map(({ position }) => position))
      const ahead = JSON.stringify(shards.flatMap((held) => held.ahead))
      const { rows } = await connections.read(
        one.as(`select ${columns.audit.join(', ')} from audit where id > ${one.bind(from)}
          and (${of.join(' or ')}) and id not in
            (select value::bigint from json_array_elements_text(${one.bind(ahead)}::json))
          order by id limit ${one.bind(limit)}`),
        true,
      )
      const entries = rows.map(toEntry)
      return {
        entries,
        shards: movedBehind(shards, entries, end, entries.length < limit),
      }
    },

    async keep(reader, shards, isLast) {
      if (shards.length === 0) return []
      const one = draft()
      const { rows } = await connections.write(
        one.as(`update cursors set position = kept.position, ahead = kept.ahead,
            held_until = ${isLast ? "'-infinity'" : LEASE_END}
          from json_to_recordset(${one.bind(JSON.stringify(shards.map(toRow)))}::json)
            as kept (shard smallint, position bigint, ahead text, fence bigint)
          where cursors.reader = ${one.bind(reader)} and cursors.shard = kept.shard
            and cursors.fence = kept.fence returning cursors.shard`),
      )
      const ours = new Set((rows as { shard: number }[]).map(({ shard }) => shard))
      return shards.filter(({ shard }) => ours.has(shard))
    },

    async lag() {
      const sql = `select reader, min(at) as at from cursors left join lateral (
          select at from audit where id > position
            and ascii(right(tenant_id, 1)) % ${LOG_SHARDS} = shard order by id limit 1
        ) as oldest on true group by reader`
      const { rows } = await connections.read({ sql, parameters: [] }, true)
      const lags: { reader: string; at: number | null }[] = rows
      return lags.map(({ reader, at }) => ({ reader, oldestAt: at ?? undefined }))
    },
  }
}

const LEASE_END = `clock_timestamp() + interval '${LEASE_SECONDS} seconds'`

function toRow({ ahead, ...held }: HeldShard): Row {
  return { ...held, ahead: JSON.stringify(ahead) }
}
