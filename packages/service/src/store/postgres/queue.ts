import type { Clock } from '../../clock.ts'
import {
  MAIL_KEPT_SECONDS,
  type MessageQueue,
  type MessageQueues,
  type QueuedMessage,
} from '../protocol-store.ts'
import type { Micros } from '../records.ts'
import type { Connections } from './connections.ts'
import { type Draft, draft } from './statement.ts'

const COLUMNS =
  'id, tenant_id as "tenantId", created_at as "createdAt", due_at as "dueAt", attempts, sealed'

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
    return (await connections.write(one.as(build(one)))).rows
  }

  return {
    async add(message) {
      const { id, tenantId, createdAt, dueAt, attempts, sealed } = message
      await write((one) => {
        const values = [id, tenantId, createdAt, dueAt, attempts, sealed].map(one.bind)
        return `insert into ${table} (id, tenant_id, created_at, due_at, attempts, sealed)
          values (${values.join(', ')})`
      })
    },
    // A message that another process is about to claim is skipped instead of waited for.
    claim: (limit, until) =>
      write(
        (one) => `update ${table} set due_at = ${one.bind(until)} where id in (
          select id from ${table} where due_at <= ${one.bind(now())}
          order by due_at limit ${one.bind(limit)} for update skip locked) returning ${COLUMNS}`,
      ),
    async renew(id, until) {
      await write(
        (one) => `update ${table} set due_at = ${one.bind(until)} where id = ${one.bind(id)}`,
      )
    },
    async retry(id, dueAt) {
      await write(
        (one) => `update ${table} set due_at = ${one.bind(dueAt)}, attempts = attempts + 1
          where id = ${one.bind(id)}`,
      )
    },
    async remove(id) {
      await write((one) => `delete from ${table} where id = ${one.bind(id)}`)
    },
    async reseal(change) {
      const sql = `select id, sealed from ${table}`
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
    async list(tenantId, limit) {
      const one = draft()
      const query = `select ${COLUMNS} from ${table} where tenant_id = ${one.bind(tenantId)}
        order by number desc limit ${one.bind(limit)}`
      return (await connections.read(one.as(query), true)).rows
    },
  }
}
