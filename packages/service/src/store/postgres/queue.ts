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
import type { Connections } from './connections.ts'
import { type Draft, draft } from './statement.ts'

/**
 * Creates the queues of outgoing messages, from which any number of processes send.
 *
 * @param clock - For tests that move it. Default: that of PostgreSQL, as those of several machines differ.
 * @param mayBeDue - As in {@link MessageQueue.mayBeDue}.
 */
export function createPostgresQueues(
  connections: Connections,
  clock?: Clock,
  mayBeDue: (table: 'mail' | 'notices') => boolean = () => true,
): MessageQueues {
  const now: Now = (one, seconds = 0) =>
    clock
      ? `${one.bind(Math.floor(clock.now() * 1e3) + seconds * 1e6)}::bigint`
      : `(extract(epoch from now()) * 1e6)::bigint + ${one.bind(seconds * 1e6)}::bigint`
  return {
    mail: { ...createQueue(connections, now, 'mail'), mayBeDue: () => mayBeDue('mail') },
    notices: { ...createQueue(connections, now, 'notices'), mayBeDue: () => mayBeDue('notices') },
    async prune() {
      const one = draft()
      const before = now(one, -MAIL_KEPT_SECONDS)
      await connections.write(
        one.as(`with notices as (delete from notices where created_at < ${before})
          delete from mail where created_at < ${before}`),
      )
    },
  }
}

/** The time now, or `seconds` later, as an expression. */
type Now = (one: Draft, seconds?: number) => string

function createQueue(connections: Connections, now: Now, table: 'mail' | 'notices'): MessageQueue {
  async function write(build: (one: Draft) => string): Promise<QueuedMessage[]> {
    const one = draft()
    return messages((await connections.write(one.as(build(one)))).rows)
  }

  async function read(build: (one: Draft) => string): Promise<QueuedMessage[]> {
    const one = draft()
    return messages((await connections.read(one.as(build(one)), true)).rows)
  }

  return {
    async add({ id, tenantId, sealed, kind, userId, isCaptured }) {
      const [added] = await write((one) => {
        const values = [id, tenantId, sealed, kind, userId].map(one.bind)
        return `insert into ${table}
            (id, tenant_id, sealed, kind, user_id, created_at, due_at, attempts)
          values (${values.join(', ')}, ${now(one)}, ${isCaptured ? NEVER : now(one)}, 0)
          returning ${MESSAGE_COLUMNS}`
      })
      return added as QueuedMessage
    },
    // A message that another process is about to claim is skipped instead of waited for.
    async claim(limit, seconds) {
      const one = draft()
      const { rows } = await connections.write(
        one.as(`update ${table} set due_at = ${now(one, seconds)} where id in (
          select id from ${table} where due_at <= ${now(one)}
          order by due_at limit ${one.bind(limit)} for update skip locked)
        returning ${MESSAGE_COLUMNS}, (${now(one)} - created_at) / 1e6::float8 as age`),
      )
      return (rows as (MessageRow & { age: number })[]).map((row) => ({
        ...toMessage(row),
        age: row.age,
      }))
    },
    async renew(claimed, seconds) {
      const held = JSON.stringify(claimed.map(({ id, attempts }) => ({ id, attempts })))
      await write(
        (one) => `update ${table} set due_at = ${now(one, seconds)} where outcome is null
          and (id, attempts) in (select id, attempts
            from json_to_recordset(${one.bind(held)}::json) as held (id text, attempts bigint))`,
      )
    },
    async retry(id, seconds, answer) {
      await write(
        (one) => `update ${table} set due_at = ${now(one, seconds)}, attempts = attempts + 1,
          answer = ${one.bind(answer)} where id = ${one.bind(id)}`,
      )
    },
    async end(id, outcome, answer) {
      await write(
        (one) => `update ${table} set outcome = ${one.bind(outcome)}, ended_at = ${now(one)},
          answer = ${one.bind(answer)}, sealed = '', due_at = ${NEVER} where id = ${one.bind(id)}`,
      )
    },
    async remove(id) {
      await write((one) => `delete from ${table} where id = ${one.bind(id)}`)
    },
    async reseal(change) {
      const sql = `select id, sealed from ${table} where outcome is null`
      const all: QueuedMessage[] = (await connections.read({ sql, parameters: [] }, true)).rows
      for (const { id, sealed } of all) {
        const changed = change(id, sealed)
        if (changed === undefined) continue
        await write(
          (one) => `update ${table} set sealed = ${one.bind(changed)}
            where ${one.matches(['id', 'sealed'], [id, sealed])}`,
        )
      }
    },
    list: (tenantId, limit) =>
      read(
        (
          one,
        ) => `select ${MESSAGE_COLUMNS} from ${table} where tenant_id = ${one.bind(tenantId)} and outcome is null
          order by number desc limit ${one.bind(limit)}`,
      ),
    waiting: async (limit) => {
      const found = await read(
        (one) => `select ${MESSAGE_COLUMNS} from ${table} where due_at < ${NEVER}
          order by due_at limit ${one.bind(limit)}`,
      )
      return found.map((message) => ({ ...message, sealed: '' }))
    },
    async backlog() {
      const one = draft()
      const { rows } = await connections.read(
        one.as(`select count(*) as waiting, coalesce((${now(one)} - min(created_at)) / 1e6::float8, 0) as age
          from ${table} where due_at < ${NEVER}`),
        true,
      )
      const counts: { waiting: number; age: number }[] = rows
      const [row] = counts
      return { waiting: row?.waiting ?? 0, oldestAge: Math.max(0, row?.age ?? 0) }
    },
    find: (tenantId, { userId, state, after, limit }) =>
      read((one) => {
        const { createdAt, id } = after ?? { createdAt: NEVER, id: '' }
        const whose = userId === undefined ? 'kind is not null' : `user_id = ${one.bind(userId)}`
        const inState = state === undefined ? 'true' : STATE_CONDITIONS[state]
        return `select ${MESSAGE_COLUMNS} from ${table} where tenant_id = ${one.bind(tenantId)} and ${whose} and ${inState}
          and (created_at, id) < (${one.bind(createdAt)}, ${one.bind(id)})
          order by created_at desc, id desc limit ${one.bind(limit)}`
      }),
    async get(tenantId, id) {
      const [message] = await read(
        (one) =>
          `select ${MESSAGE_COLUMNS} from ${table} where ${one.matches(['tenant_id', 'id'], [tenantId, id])}`,
      )
      return message
    },
    async count(tenantId, seconds, limit) {
      const one = draft()
      const isOf = tenantId === undefined ? 'true' : one.matches(['tenant_id'], [tenantId])
      const { rows }: { rows: { n: number }[] } = await connections.read(
        one.as(`select count(*) as n from (select 1 from ${table}
          where ${isOf} and created_at >= ${now(one, -seconds)} limit ${one.bind(limit)}) as counted`),
        true,
      )
      return rows[0]?.n ?? 0
    },
  }
}

function messages(rows: MessageRow[]): QueuedMessage[] {
  return rows.map(toMessage)
}
