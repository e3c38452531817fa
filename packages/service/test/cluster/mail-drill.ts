import { randomUUID } from 'node:crypto'
import { until } from '../../../session-store/test/support/redis.ts'
import { createVault } from '../../src/domain/writes/vault.ts'
import { createConnections } from '../../src/store/postgres/connections.ts'
import { createPostgresQueues } from '../../src/store/postgres/queue.ts'
import { clusterKey } from '../support/cluster.ts'
import type { Field } from './field.ts'

/** How many messages one process sends at a time. */
const AT_ONCE = 2

/** How much of the mail has arrived when a process is killed. */
const KILLS = [1 / 20, 1 / 4]

/** How a {@link drillMail} is run. */
export interface MailDrill {
  /** How many messages are sent before processes are killed, and how many again amid that. */
  count: number
  /** Whether what the processes were sending is sent again at once, rather than after a minute. */
  isShort: boolean
}

/**
 * Sends mail through four processes, of which two are killed meanwhile.
 *
 * @returns How many messages arrived twice.
 * @throws when a message is lost or arrives too often, or when fifty that are refused hold up another.
 */
export async function drillMail(field: Field, { count, isShort }: MailDrill): Promise<number> {
  const patience = isShort ? 60 : 300
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
  await until('all mail arrives', () => arrived(some).length === count, patience)
  if (often(some).length > 0) throw new Error(`Sent more than once: ${often(some)}`)

  const more = addresses('more', count)
  await queue(field, more)
  const all = cluster.processes.length
  for (const part of KILLS) {
    await until('mail is on its way', () => arrived(more).length > count * part, patience)
    await cluster.processes.shift()?.kill()
  }
  if (isShort) await releaseMail(field)
  await until('all mail arrives after kill -9', () => arrived(more).length === count, patience)
  const twice = often(more)
  // Those of the processes that live were released as well.
  const most = AT_ONCE * (isShort ? all : KILLS.length)
  if (twice.length > most) throw new Error(`Sent more than once: ${twice}`)
  for (const _ of KILLS) cluster.processes.push(await cluster.start())
  return twice.length
}

/** As if a minute had passed: what a process that died was sending may be sent by another one. */
export async function releaseMail({ cluster }: Field): Promise<void> {
  await cluster.database.query('update mail set due_at = 0 where attempts = 0')
}

export function addresses(name: string, count: number): string[] {
  const run = randomUUID().slice(0, 8)
  return Array.from({ length: count }, (_, n) => `${name}-${run}-${n}@example.com`)
}

/** Leaves messages to the processes, as one does that dies right after it has stored them. */
export async function queue({ cluster, tenant }: Field, to: readonly string[]): Promise<void> {
  const connections = createConnections({ url: cluster.database.url })
  const { mail } = createPostgresQueues(connections)
  const vault = createVault(clusterKey)
  const tenantId = tenant.split('/').at(-1) ?? ''
  for (const address of to) {
    const id = randomUUID()
    const text = { subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }
    const message = JSON.stringify({ to: address, fromName: 'Acme', ...text })
    const sealed = vault.seal(`mail:${id}`, message)
    await mail.add({ id, tenantId, sealed })
  }
  await connections.close()
}
