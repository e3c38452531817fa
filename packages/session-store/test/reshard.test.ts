import type { SessionRecord } from '@latchkey/core'
import { createSessionStore, type RedisSessionStore } from '@latchkey/session-store'
import { Cluster } from 'ioredis'
import { createCluster } from 'redis'
import { expect, test } from 'vitest'
import { record } from './support/record.ts'
import { moveSlot, startCluster, type TestRedis } from './support/redis.ts'

const secret = 'a secret of the tests, 32 characters long'

const keysOf = (node: TestRedis): Promise<string[]> =>
  node.inspect(async (r) => (await r.keys('latchkey:s:*')).sort())

/** Reads and writes sessions until it is told to stop; answers how often each was written. */
async function useUntil(done: () => boolean, store: RedisSessionStore, ids: string[]) {
  let rounds = 0
  do {
    rounds += 1
    for (const id of ids) {
      const seen = (await store.get(id)) as SessionRecord
      const next = record({ n: Number(seen.data.n) + 1 })
      expect(await store.update(id, next, seen)).toBe('updated')
    }
  } while (!done())
  return rounds
}

test('sessions stay readable and writable while every slot of three masters moves to the next', async () => {
  await using cluster = await startCluster()
  const { nodes } = cluster
  const ioredis = new Cluster(nodes.map(({ port }) => ({ host: '127.0.0.1', port })))
  const nodeRedis = await createCluster({ rootNodes: nodes.map(({ url }) => ({ url })) }).connect()
  const users = [ioredis, nodeRedis].map((client, n) => ({
    store: createSessionStore({ client, secret }),
    ids: Array.from({ length: 12 }, (_, i) => `session ${i} of client ${n}`),
  }))
  for (const { store, ids } of users) for (const id of ids) await store.set(id, record({ n: 0 }))

  const before = await Promise.all(nodes.map(keysOf))
  for (const keys of before) expect(keys.length).toBeGreaterThan(0)
  let isMoved = false
  const using = users.map(({ store, ids }) => useUntil(() => isMoved, store, ids))
  for (const [n, from] of nodes.entries()) {
    const to = nodes[(n + 1) % 3] as TestRedis
    for (const key of before[n] as string[]) {
      await moveSlot(await from.inspect((r) => r.cluster('KEYSLOT', key)), from, to, nodes)
    }
  }
  isMoved = true
  const rounds = await Promise.all(using)

  expect(await Promise.all(nodes.map(keysOf))).toEqual([before[2], before[0], before[1]])
  for (const [n, { store, ids }] of users.entries()) {
    for (const id of ids) expect((await store.get(id))?.data.n).toBe(rounds[n])
  }
  ioredis.disconnect()
  nodeRedis.destroy()
})
