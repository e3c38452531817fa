import type { Clock } from '../../clock.ts'
import {
  MAIL_KEPT_SECONDS,
  type MessageQueue,
  type MessageQueues,
  type MessageRow,
  NEVER,
  type QueuedMessage,
  toMessage,
} from '../protocol-store.ts'
import type { Micros } from '../records.ts'
import type { Connections } from './connections.ts'
import { type Draft, draft } from './statement.ts'

/** Creates the queues of outgoing messages, from which any number of processes send. */
export function createPostgresQueues(connections: Connections, clock: Clock): MessageQueues {
  const now = (): Micros => Math.floor(clock.now() * 1000)
  return {
    mail: createQueue(connections, now, 'mail'),
    notices: createQueue(connections, now, 'notices'),
    async prune() {
      const one = draft()
      const before = one.bind(now() - MAIL_KEPT_SECONDS * 1e6)
      await connections.write(
        one.as(`with notices as (delete from notices where created_at < ${before})
          delete from mail where created_at < ${before}`),
      )
    },
  }
}

function createQueue(
  connections: Connections,
  now: () => Micros,
  table: 'mail' | 'notices',
): MessageQueue {
  async function write(build: (one: Draft) => string): Promise<QueuedMessage[]> {
    const one = draft()
    return messages((await connections.write(one.as(build(one)))).rows)
  }

  async function read(build: (one: Draft) => string): Promise<QueuedMessage[]> {
    const one = draft()
    return messages((await connections.read(one.as(build(one)), true)).rows)
  }

  return {
    async add(message) {
      const { id, tenantId, createdAt, dueAt, attempts, sealed, kind, userId } = message
      await write((one) => {
        const own = [id, tenantId, createdAt, dueAt, attempts, sealed, kind, userId]
        const values = own.map(one.bind)
        return `insert into ${table}
            (id, tenant_id, created_at, due_at, attempts, sealed, kind, user_id)
          values (${values.join(', ')})`
      })
    },
    // A message that another process is about to claim is skipped instead of waited for.
    claim: (limit, until) =>
      write(
        (one) => `update ${table} set due_at = ${one.bind(until)} where id in (
          select id from ${table} where due_at <= ${one.bind(now())}
          order by due_at limit ${one.bind(limit)} for update skip locked) returning *`,
      ),
    async renew(id, until) {
      await write(
        (one) => `update ${table} set due_at = ${one.bind(until)} where id = ${one.bind(id)}`,
      )
    },
    async retry(id, dueAt, answer) {
      await write(
        (one) => `update ${table} set due_at = ${one.bind(dueAt)}, attempts = attempts + 1,
          answer = ${one.bind(answer)} where id = ${one.bind(id)}`,
      )
    },
    async end(id, outcome, at, answer) {
      await write(
        (one) => `update ${table} set outcome = ${one.bind(outcome)}, ended_at = ${one.bind(at)},
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
        (one) => `select * from ${table} where tenant_id = ${one.bind(tenantId)} and outcome is null
          order by number desc limit ${one.bind(limit)}`,
      ),
    waiting: async (limit) => {
      const found = await read(
        (one) => `select * from ${table} where due_at < ${NEVER}
          order by due_at limit ${one.bind(limit)}`,
      )
      return found.map((message) => ({ ...message, sealed: '' }))
    },
    find: (tenantId, { userId, after, limit }) =>
      read((one) => {
        const { createdAt, id } = after ?? { createdAt: NEVER, id: '' }
        const whose = userId === undefined ? 'kind is not null' : `user_id = ${one.bind(userId)}`
        return `select * from ${table} where tenant_id = ${one.bind(tenantId)} and ${whose}
          and (created_at, id) < (${one.bind(createdAt)}, ${one.bind(id)})
          order by created_at desc, id desc limit ${one.bind(limit)}`
      }),
    async get(tenantId, id) {
      const [message] = await read(
        (one) => `select * from ${table} where ${one.matches(['tenant_id', 'id'], [tenantId, id])}`,
      )
      return message
    },
  }
}

function messages(rows: MessageRow[]): QueuedMessage[] {
  return rows.map(toMessage)
}
