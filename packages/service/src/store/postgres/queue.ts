import type { Clock } from '../../clock.ts'
import {
  MAIL_KEPT_SECONDS,
  MESSAGE_COLUMNS,
  type MessageLease,
  type MessageQueue,
  type MessageQueues,
  type MessageRow,
  NEVER,
  type QueuedMessage,
  STATE_CONDITIONS,
  toMessage,
  toUndelivered,
} from '../protocol-store.ts'
import { heldByTenant, longestWait } from '../queue-times.ts'
import { name, raw, type Sql, sql } from '../sql/sql.ts'
import type { Connections } from './connections.ts'
import { createNow } from './now.ts'
import { undeliveredIn } from './undelivered.ts'

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
    async claim(limit, seconds, held = []) {
      const { rows } = await connections.write(sql<MessageRow & { age: number }>`
        update ${queue} set due_at = ${now(seconds)} where id in (${nextOf(queue, now, limit, held)})
        returning ${COLUMNS}, (${now()} - created_at) / 1e6::float8 as age`)
      return rows.map((row) => ({ ...toMessage(row), age: row.age }))
    },
    renew: (claimed, seconds) => renewIn(connections, queue, claimed, now(seconds)),
    async recall(waits) {
      const { rows } = await connections.write(sql`update ${queue} set due_at = ${now()}
        where due_at < ${NEVER_DUE} and due_at > ${now()} + ${raw(longestWait(waits))}
        returning id`)
      return rows.length
    },
    async retry({ id, attempts, dueAt }, seconds, answer) {
      await write(sql`update ${queue} set due_at = ${now(seconds)}, attempts = attempts + 1,
        answer = ${answer ?? null}
        where id = ${id} and attempts = ${attempts} and due_at = ${dueAt} and outcome is null`)
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
    undelivered: async (...of) =>
      (await connections.read(undeliveredIn(queue, ...of))).rows.map(toUndelivered),
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

async function renewIn(
  connections: Connections,
  queue: Sql,
  claimed: readonly MessageLease[],
  until: Sql,
): Promise<void> {
  const held = JSON.stringify(claimed.map(({ id, attempts, dueAt }) => ({ id, attempts, dueAt })))
  const { rows } = await connections.write(sql<Pick<MessageRow, 'id' | 'due_at'>>`
    update ${queue} set due_at = ${until} where outcome is null
    and (id, attempts, due_at) in (select id, attempts, "dueAt"
      from json_to_recordset(${held}::json) as held (id text, attempts bigint, "dueAt" bigint))
    returning id, due_at`)
  const renewed = new Map(rows.map((row) => [row.id, row.due_at]))
  for (const one of claimed) one.dueAt = renewed.get(one.id) ?? one.dueAt
}

/**
 * The query for the ids of the next messages to send, which are locked; see {@link
 * MessageQueue.claim}.
 *
 * It looks up one tenant after the other in the index, so that the messages of a tenant are not read
 * to find another tenant. If enough tenants are free, it reads one message of each. It skips
 * messages that another process is claiming, instead of waiting for their locks.
 */
function nextOf(queue: Sql, now: Now, limit: number, held: Parameters<typeof heldByTenant>[0]) {
  const busy = JSON.stringify(heldByTenant(held))
  const most = limit * CLAIMING
  const isDue = sql`tenant_id = tenants.id and due_at < ${NEVER_DUE} and due_at <= ${now()}`
  return sql`with recursive ids as (
      select min(tenant_id) as id from ${queue} where due_at < ${NEVER_DUE}
      union all select (select min(tenant_id) from ${queue}
        where due_at < ${NEVER_DUE} and tenant_id > ids.id) from ids where id is not null
    ), tenants as materialized (
      select tenants.id, coalesce(busy.n, 0) as held from ids as tenants
      left join json_to_recordset(${busy}::json) as busy (id text, n bigint) on busy.id = tenants.id
      where exists (select 1 from ${queue} where ${isDue})
    ), turns as (
      select found.id, found.due_at, held + found.nth as turn
      from tenants cross join lateral (
        select id, due_at, row_number() over (order by due_at) as nth from ${queue}
        where ${isDue} order by due_at limit (
          select case when count(*) >= ${most} then 1 else ${most} end
          from tenants as free where free.held = 0)
      ) as found order by turn, due_at limit ${most}
    )
    select ${queue}.id from turns join ${queue} on ${queue}.id = turns.id
    where ${queue}.due_at <= ${now()} order by turns.turn, turns.due_at
    limit ${limit} for update of ${queue} skip locked`
}

const COLUMNS = raw(MESSAGE_COLUMNS)

/** The number of processes whose claims at the same moment all get messages. */
const CLAIMING = 4

/**
 * The due time of messages that are never sent (again), as text, because the indexes have it as
 * text.
 */
const NEVER_DUE = raw(String(NEVER))
