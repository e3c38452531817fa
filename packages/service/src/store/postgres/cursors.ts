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
import type { Settled } from './settled.ts'
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

  return {
    mayHaveUnread(reader) {
      const last = lastEntry()
      return last === undefined || readTo.get(reader) !== last
    },

    async claim(reader, limit) {
      const { last } = await settled.look()
      if (readTo.get(reader) === last) return undefined
      const asked = draft()
      const unread = `from cursors where reader = ${asked.bind(reader)} and position < ${asked.bind(last)}`
      const some = asked.as(`select count(*) filter (where held_until < clock_timestamp()) as free,
        count(*) as unread ${unread}`)
      const counts: { free: number; unread: number }[] = (await connections.read(some, true)).rows
      const [found] = counts
      if (!found?.unread) {
        readTo.set(reader, last)
        return undefined
      }
      if (found.free === 0) return []
      const one = draft()
      const { rows } = await connections.write(
        one.as(`update cursors set fence = fence + 1, held_until = ${LEASE_END} where (reader, shard) in (
          select reader, shard from cursors
          where reader = ${one.bind(reader)} and position < ${one.bind(last)}
            and held_until < clock_timestamp()
          order by held_until, shard limit ${one.bind(limit)} for update skip locked)
        returning shard, position, ahead, fence`),
      )
      return (rows as Row[]).map((row) => ({ ...row, ahead: JSON.parse(row.ahead) }))
    },

    async read(shards, limit) {
      const end = await settled.look()
      if (!mayReadAhead(shards)) {
        return { entries: [], shards: movedBehind(shards, [], end.settled, true) }
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
        shards: movedBehind(shards, entries, end.settled, entries.length < limit),
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
