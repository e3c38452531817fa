import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { SessionRecord } from '@latchkey/core'
import { createSessionStore, type RedisSessionStore } from '@latchkey/session-store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { record } from './support/record.ts'
import { startRedis, type TestRedis } from './support/redis.ts'

const [old, fresh] = [
  'the old secret, of 32 characters or more',
  'the new secret, of 32 characters or more',
]

let redis: TestRedis
const stores: RedisSessionStore[] = []
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(async () => {
  for (const store of stores) await store.close()
  await redis[Symbol.asyncDispose]()
})

function open(...secret: string[]): RedisSessionStore {
  const store = createSessionStore({ url: redis.url, secret })
  stores.push(store)
  return store
}

/** What the channel tells while `run` runs. */
async function events(run: () => Promise<unknown>): Promise<unknown[]> {
  const seen: unknown[] = []
  const listen = (message: unknown): void => void seen.push(message)
  subscribe('latchkey:session.unreadable', listen)
  await run()
  unsubscribe('latchkey:session.unreadable', listen)
  return seen
}

test('with a new secret before the old one, old sessions stay valid, and are encrypted with the new secret when written', async () => {
  const [before, during, after] = [open(old), open(fresh, old), open(fresh)]
  await before.set('read', record({ cart: 1 }))
  await before.set('written', record({ cart: 1 }))

  const seen = (await during.get('written')) as SessionRecord
  expect(await during.update('written', record({ cart: 2 }), seen)).toBe('updated')

  expect((await during.get('read'))?.data.cart).toBe(1)
  expect((await after.get('written'))?.data.cart).toBe(2)
  const told = await events(async () => {
    expect(await after.get('read')).toBeUndefined()
    expect(await before.get('written')).toBeUndefined()
  })
  expect(told).toHaveLength(2)
})

test('sessions are found by user across a rotation, whichever process added them', async () => {
  const [before, during] = [open(old), open(fresh, old)]
  for (const [store, id] of [
    [before, 'one'],
    [during, 'two'],
  ] as const) {
    await store.set(id, record())
    await store.index.add(['user'], id, 600)
  }
  expect([...(await during.index.find('user'))].sort()).toEqual(['one', 'two'])
  await during.index.remove(['user'], 'one')
  expect(await before.index.find('user')).toEqual([])
})

test('single use and locks also hold between processes before and after a rotation', async () => {
  const [before, during, after] = [open(old), open(fresh, old), open(fresh)]
  for (const [first, second] of [
    [before, during],
    [during, before],
    [during, after],
    [after, during],
  ] as const) {
    const key = `key ${stores.length} ${[before, during, after].indexOf(first)} ${[before, during, after].indexOf(second)}`
    expect([await first.once.consume(key, 60), await second.once.consume(key, 60)]).toEqual([
      true,
      false,
    ])
    const release = await first.lock.acquire(key, 60)
    expect(await second.lock.acquire(key, 60)).toBeUndefined()
    await release?.()
    const next = await second.lock.acquire(key, 60)
    expect(next).toBeDefined()
    await next?.()
    expect(await first.lock.acquire(key, 60)).toBeDefined()
  }
})

test('a value that was changed, cut, swapped or written by another program is no session, and an event says so', async () => {
  const store = open(old)
  const ids = ['changed', 'cut', 'swapped', 'foreign', 'list', 'other']
  const keys: string[] = []
  for (const id of ids) {
    const known = new Set(await redis.inspect((r) => r.keys('latchkey:s:*')))
    await store.set(id, record({ of: id }))
    const now = await redis.inspect((r) => r.keys('latchkey:s:*'))
    keys.push(now.find((key) => !known.has(key)) as string)
  }
  const [changed, cut, swapped, foreign, list, other] = keys as [
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  await redis.inspect(async (r) => {
    const value = (await r.getBuffer(changed)) as Buffer
    value[40] = (value[40] as number) ^ 1
    await r.set(changed, value, 'KEEPTTL')
    await r.set(cut, ((await r.getBuffer(cut)) as Buffer).subarray(0, 20), 'KEEPTTL')
    await r.set(swapped, (await r.getBuffer(other)) as Buffer, 'KEEPTTL')
    await r.set(foreign, '{"cookie":{},"latchkey":{"sub":"admin"}}', 'KEEPTTL')
    await r.del(list)
    await r.rpush(list, 'a list')
  })

  const told = await events(async () => {
    for (const id of ids.slice(0, 5)) expect(await store.get(id), id).toBeUndefined()
    expect((await store.get('other'))?.data.of).toBe('other')
  })
  expect(told).toHaveLength(5)
  expect(JSON.stringify(told)).not.toMatch(/changed|admin/)
  expect(store.health().status).toBe('ok')
})

test('a session past its sealed end is gone, also when its key was given more time', async () => {
  const store = open(old)
  await store.set('short', record({}, 0.5))
  await redis.inspect(async (r) => {
    for (const key of await r.keys('latchkey:s:*')) await r.persist(key)
  })
  await expect.poll(() => store.get('short')).toBeUndefined()
})

test('a session that was read before is read as it is stored now, and no reader can change it', async () => {
  const [one, other] = [open(old), open(old)]
  await one.set('shared', record({ cart: ['tea'] }))
  const seen = (await one.get('shared')) as SessionRecord
  expect(await one.get('shared')).toEqual(seen)
  expect(() => (seen.data.cart as string[]).push('milk')).toThrow(TypeError)
  expect(() => Object.assign(seen.data, { cart: [] })).toThrow(TypeError)

  await other.update('shared', record({ cart: ['milk'] }), seen)
  expect((await one.get('shared'))?.data).toEqual({ cart: ['milk'] })
  await other.destroy('shared')
  expect(await one.get('shared')).toBeUndefined()
})
