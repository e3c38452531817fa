import { randomUUID } from 'node:crypto'
import { until } from '../../../session-store/test/support/redis.ts'
import { systemClock } from '../../src/clock.ts'
import { createVault } from '../../src/domain/vault.ts'
import { createConnections } from '../../src/store/postgres/connections.ts'
import { createPostgresQueues } from '../../src/store/postgres/queue.ts'
import { clusterKey } from '../support/cluster.ts'
import type { Field } from './field.ts'

/** How long all of the messages may take, in seconds. */
const PATIENCE = 60

/** How many messages one process sends at a time. */
const AT_ONCE = 2

/**
 * Sends mail through processes of which one is killed meanwhile.
 *
 * @param count - How many messages are sent before the kill, and how many again during it.
 * @throws when a message is lost or arrives too often, or when fifty that are refused hold up another.
 */
export async function drillMail(field: Field, count: number): Promise<void> {
  const { cluster, mailbox } = field
  const arrived = (addresses: string[]) => addresses.filter((address) => mailbox.has(address))
  const often = (addresses: string[]) => addresses.filter((address) => mailbox.get(address) !== 1)

  await queue(field, addresses('poison', 50))
  await queue(field, ['behind@example.com'])
  await until('a message arrives behind fifty that are refused', () =>
    mailbox.has('behind@example.com'),
  )

  const some = addresses('some', count)
  await queue(field, some)
  await until('all mail arrives', () => arrived(some).length === count, PATIENCE)
  if (often(some).length > 0) throw new Error(`Sent more than once: ${often(some)}`)

  const more = addresses('more', count)
  await queue(field, more)
  await until('some mail is on its way', () => arrived(more).length > count / 20, PATIENCE)
  await cluster.processes.shift()?.kill()
  await releaseMail(field)
  await until('all mail arrives after kill -9', () => arrived(more).length === count, PATIENCE)
  // Those of the processes that live were released as well.
  const twice = often(more)
  if (twice.length > AT_ONCE * (cluster.processes.length + 1))
    throw new Error(`Sent twice: ${twice}`)
  cluster.processes.push(await cluster.start())
}

/** As if a minute had passed: what a process that died was sending may be sent by another one. */
export async function releaseMail({ cluster }: Field): Promise<void> {
  await cluster.database.query('update mail set due_at = 0 where attempts = 0')
}

function addresses(name: string, count: number): string[] {
  const run = randomUUID().slice(0, 8)
  return Array.from({ length: count }, (_, n) => `${name}-${run}-${n}@example.com`)
}

/** Leaves messages to the processes, as one does that dies right after it has stored them. */
async function queue({ cluster, tenant }: Field, to: readonly string[]): Promise<void> {
  const connections = createConnections({ url: cluster.database.url })
  const { mail } = createPostgresQueues(connections, systemClock)
  const vault = createVault(clusterKey)
  const tenantId = tenant.split('/').at(-1) ?? ''
  const at = Date.now() * 1_000
  for (const address of to) {
    const id = randomUUID()
    const text = { subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }
    const message = JSON.stringify({ to: address, fromName: 'Acme', ...text })
    const sealed = vault.seal(`mail:${id}`, message)
    await mail.add({ id, tenantId, createdAt: at, dueAt: at, attempts: 0, sealed })
  }
  await connections.close()
}
