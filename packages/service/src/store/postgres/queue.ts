import type { Clock } from '../../clock.ts'
import {
  MAIL_KEPT_SECONDS,
  MESSAGE_COLUMNS,
  type MessageQueue,
  type MessageQueues,
  type MessageRow,
  NEVER,
  type QueuedMessage,
  STATE_CONDITIONS,
  toMessage,
} from '../protocol-store.ts'
import { longestWait } from '../queue-times.ts'
import { name, raw, type Sql, sql } from '../sql/sql.ts'
import type { Connections } from './connections.ts'
import { createNow } from './now.ts'

/**
 * Creates the queues of outgoing messages. Any number of processes can send messages from a queue.
 *
 * @param clock - A clock for tests that move the time. Default: PostgreSQL's clock, because the
 *   clocks of several machines differ.
 * @param mayBeDue - Whether messages of a queue may be due; see {@link MessageQueue.mayBeDue}.
 *   Default: always.
 */
export function createPostgresQueues(
  connections: Connections,
  clock?: Clock,
  mayBeDue: (table: 'mail' | 'notices') => boolean = () => true,
): MessageQueues {
  const read = createNow(clock)
  const now: Now = (seconds = 0) => sql`${read()} + ${seconds * 1e6}::bigint`
  return {
    mail: { ...createQueue(connections, now, 'mail'), mayBeDue: () => mayBeDue('mail') },
    notices: { ...createQueue(connections, now, 'notices'), mayBeDue: () => mayBeDue('notices') },
    async prune() {
      const before = now(-MAIL_KEPT_SECONDS)
      await connections.write(sql`with notices as (delete from notices where created_at < ${before})
        delete from mail where created_at < ${before}`)
    },
  }
}

/** Returns the expression for the current time, or for the time in `seconds`, in microseconds. */
type Now = (seconds?: number) => Sql

function createQueue(connections: Connections, now: Now, table: 'mail' | 'notices'): MessageQueue {
  const queue = name(table)
  const all = sql`select ${COLUMNS} from ${queue}`
  const write = (statement: Sql) => connections.write(statement)

  async function read(statement: Sql<MessageRow>): Promise<QueuedMessage[]> {
    return (await connections.read(statement)).rows.map(toMessage)
  }

  async function countOf(rows: Sql): Promise<number> {
    const counted = await connections.read(sql<{ n: number }>`select count(*) as n from ${rows}`)
    return counted.rows[0]?.n ?? 0
  }

  return {
    async add({ id, tenantId, sealed, kind, userId, isCaptured }) {
      const { rows } = await connections.write(sql<MessageRow>`insert into ${queue}
          (id, tenant_id, sealed, kind, user_id, created_at, due_at, attempts)
        values (${id}, ${tenantId}, ${sealed}, ${kind ?? null}, ${userId ?? null}, ${now()},
          ${isCaptured ? NEVER_DUE : now()}, 0)
        returning ${COLUMNS}`)
      return toMessage(rows[0] as MessageRow)
    },
    // Skips messages that another process is claiming, instead of waiting for their locks.
    async claim(limit, seconds) {
      const { rows } = await connections.write(sql<MessageRow & { age: number }>`
        update ${queue} set due_at = ${now(seconds)} where id in (
          select id from ${queue} where due_at <= ${now()}
          order by due_at limit ${limit} for update skip locked)
        returning ${COLUMNS}, (${now()} - created_at) / 1e6::float8 as age`)
      return rows.map((row) => ({ ...toMessage(row), age: row.age }))
    },
    async renew(claimed, seconds) {
      const held = JSON.stringify(claimed.map(({ id, attempts }) => ({ id, attempts })))
      await write(sql`update ${queue} set due_at = ${now(seconds)} where outcome is null
        and (id, attempts) in (select id, attempts
          from json_to_recordset(${held}::json) as held (id text, attempts bigint))`)
    },
    async recall(waits) {
      const { rows } = await connections.write(sql`update ${queue} set due_at = ${now()}
        where due_at < ${NEVER_DUE} and due_at > ${now()} + ${raw(longestWait(waits))}
        returning id`)
      return rows.length
    },
    async retry(id, seconds, answer) {
      await write(sql`update ${queue} set due_at = ${now(seconds)}, attempts = attempts + 1,
        answer = ${answer ?? null} where id = ${id}`)
    },
    async end(id, outcome, answer) {
      const { rows } =
        await write(sql`update ${queue} set outcome = ${outcome}, ended_at = ${now()},
        answer = ${answer ?? null}, sealed = '', due_at = ${NEVER_DUE}
        where id = ${id} and outcome is null returning id`)
      return rows.length > 0
    },
    async remove(id) {
      await write(sql`delete from ${queue} where id = ${id}`)
    },
    async reseal(change) {
      const { rows } = await connections.read(
        sql<{ id: string; sealed: string }>`select id, sealed from ${queue} where outcome is null`,
      )
      for (const { id, sealed } of rows) {
        const changed = change(id, sealed)
        if (changed === undefined) continue
        await write(sql`update ${queue} set sealed = ${changed}
          where id = ${id} and sealed = ${sealed}`)
      }
    },
    list: (tenantId, limit) =>
      read(sql`${all} where tenant_id = ${tenantId} and outcome is null
        order by number desc limit ${limit}`),
    waiting: async (limit) =>
      (await read(sql`${all} where due_at < ${NEVER_DUE} order by due_at limit ${limit}`)).map(
        (message) => ({ ...message, sealed: '' }),
      ),
    async backlog() {
      const { rows } = await connections.read(sql<{ waiting: number; age: number }>`
        select count(*) as waiting, coalesce((${now()} - min(created_at)) / 1e6::float8, 0) as age
        from ${queue} where due_at < ${NEVER_DUE}`)
      const [row] = rows
      return { waiting: row?.waiting ?? 0, oldestAge: Math.max(0, row?.age ?? 0) }
    },
    find: (tenantId, { userId, state, after, limit }) => {
      const { createdAt, id } = after ?? { createdAt: NEVER, id: '' }
      const isOf = userId === undefined ? sql`kind is not null` : sql`user_id = ${userId}`
      const isIn = raw(state === undefined ? 'true' : STATE_CONDITIONS[state])
      return read(sql`${all} where tenant_id = ${tenantId} and ${isOf} and ${isIn}
        and (created_at, id) < (${createdAt}, ${id}) order by created_at desc, id desc limit ${limit}`)
    },
    get: async (tenantId, id) =>
      (await read(sql`${all} where tenant_id = ${tenantId} and id = ${id}`))[0],
    count(tenantId, seconds, limit) {
      const isOf = tenantId === undefined ? sql`true` : sql`tenant_id = ${tenantId}`
      return countOf(sql`(select 1 from ${queue}
        where ${isOf} and created_at >= ${now(-seconds)} limit ${limit}) as counted`)
    },
  }
}

const COLUMNS = raw(MESSAGE_COLUMNS)

/**
 * The due time of messages that are never sent (again), as text, because the indexes have it as
 * text.
 */
const NEVER_DUE = raw(String(NEVER))
