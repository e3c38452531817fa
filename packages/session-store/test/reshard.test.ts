import { createSessionStore } from '@latchkey/session-store'
import { Cluster } from 'ioredis'
import { expect, test } from 'vitest'
import { moveSlot, startCluster } from './support/redis.ts'

const cookie = () => ({ originalMaxAge: 600_000, expires: new Date(Date.now() + 600_000) })

test('sessions stay readable and writable while their slots move to another node', async () => {
  await using cluster = await startCluster()
  const [from, to] = cluster.nodes as [(typeof cluster.nodes)[0], (typeof cluster.nodes)[0]]
  const client = new Cluster([{ host: '127.0.0.1', port: from.port }], {
    enableAutoPipelining: true,
  })
  const store = createSessionStore({ client, secret: 'a secret of the tests, 32 characters long' })
  const ids = Array.from({ length: 30 }, (_, n) => `session ${n}`)
  for (const id of ids) await store.set(id, { cookie: cookie(), n: 0 })

  const slots = await from.inspect(async (r) => {
    const keys = await r.keys('latchkey:s:*')
    return Promise.all(keys.map((key) => r.cluster('KEYSLOT', key)))
  })
  let moving = true
  const use = async (): Promise<number> => {
    let rounds = 0
    for (; moving || rounds === 0; rounds++) {
      for (const id of ids) {
        const seen = await store.get(id)
        expect(seen).toBeDefined()
        expect(await store.replace(id, { ...seen, n: seen.n + 1 }, seen)).toBe('replaced')
      }
    }
    return rounds
  }
  const used = use()
  for (const slot of new Set(slots)) await moveSlot(slot, from, to, cluster.nodes)
  moving = false
  const rounds = await used

  expect(slots.length).toBeGreaterThan(0)
  expect(await from.inspect((r) => r.keys('latchkey:s:*'))).toEqual([])
  for (const id of ids) expect((await store.get(id)).n).toBe(rounds)
  await store.close()
})
