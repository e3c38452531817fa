import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startSilentProxy } from '../../../../test/support/silent-proxy.ts'
import {
  startCluster,
  startRedis,
  startSentinel,
} from '../../../session-store/test/support/redis.ts'
import { createConnections } from '../../src/store/postgres/connections.ts'
import { createPostgresQueues } from '../../src/store/postgres/queue.ts'
import { parseRedisAddress } from '../../src/store/redis/address.ts'
import { connectRedis } from '../../src/store/redis/connect.ts'
import { createEntryWrites } from '../../src/store/redis/entry-writes.ts'
import { entryKey, keyOf } from '../../src/store/redis/keys.ts'
import { createRedisProtocolStore } from '../../src/store/redis/protocol-store.ts'
import { createScripts } from '../../src/store/redis/scripts.ts'
import { createSqliteProtocolStore } from '../../src/store/sqlite/protocol-store.ts'
import { createDatabase } from '../support/postgres.ts'
import { describeEntries } from './entries-suite.ts'
import { describeProtocolStore, type StoreUnderTest } from './protocol-store-suite.ts'

/** The longest time for which a test holds a command, in milliseconds. */
const HELD_MS = 600_000

const database = await createDatabase()
afterAll(() => database.drop())

/** A store as a cluster of services has it: what expires in Redis, messages in PostgreSQL. */
async function open(url: string, flush: () => Promise<unknown>): Promise<StoreUnderTest> {
  const clock = { millis: 1_800_000_000_000, now: () => clock.millis }
  await Promise.all([flush(), database.empty()])
  const connections = createConnections({ url: database.url })
  const queues = createPostgresQueues(connections, clock)
  const store = createRedisProtocolStore({ url, clock, queues })
  return {
    store,
    clock,
    async [Symbol.asyncDispose]() {
      await store.close()
      await connections.close()
    },
  }
}

describe('the Redis store', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis[Symbol.asyncDispose]())
  const opened = () => open(redis.url, () => redis.inspect((r) => r.flushall()))

  describeProtocolStore(opened, { expiresByItself: true })
  describeEntries(opened)

  test('every entry with an expiry is removed by Redis itself', async () => {
    await using under = await opened()
    const { store, clock } = under
    const expiresAt = (clock.millis + 60_000) * 1000
    const entry = { tenantId: 't', kind: 'Session', key: 'k', payload: '{}', expiresAt }
    await store.put({ ...entry, uid: 'u', grantId: 'g', accountId: 'a' })
    const limit = { free: 2, baseSeconds: 1, maxSeconds: 1, forgetSeconds: 60 }
    await store.endAttempt([{ key: 'a/b', limit, outcome: 'failed' }], 'attempt')
    await store.beginAttempt([{ key: 'c/d', limit }], 'attempt', expiresAt)
    await redis.inspect(async (r) => {
      const keys = await r.keys('*')
      expect(keys).toHaveLength(6)
      const lifetimes = await Promise.all(keys.map((key) => r.pttl(key)))
      for (const ms of lifetimes) expect(ms).toSatisfy((n: number) => n > 0 && n <= 60_000)
    })
  })

  test('a spent entry is removed by Redis itself, and from its indexes by the next entry', async () => {
    await using under = await opened()
    const { store, clock } = under
    const token = (n: number) => ({
      ...{ tenantId: 't', kind: 'RefreshToken', key: `k${n}`, payload: '{}' },
      ...{ expiresAt: (clock.millis + 86_400_000) * 1000, grantId: 'g', accountId: 'a' },
    })
    await store.put(token(0))
    for (let n = 1; n <= 20; n++) {
      await store.write([
        { kind: 'consume', name: token(n - 1), keepSeconds: 60 },
        { kind: 'put', entry: token(n) },
      ])
      clock.millis += 61_000
    }
    await redis.inspect(async (r) => {
      const lasting = await Promise.all(
        (await r.keys('latchkey:e:*')).map(async (key) => (await r.pttl(key)) > 60_000),
      )
      expect(lasting.filter(Boolean)).toHaveLength(1)
      for (const index of ['latchkey:a:*', 'latchkey:g:*']) {
        expect(await r.zcard((await r.keys(index))[0] ?? '')).toBe(2)
      }
    })
  })

  test('what never expires stays', async () => {
    await using under = await opened()
    const { store, clock } = under
    const entry = { tenantId: '', kind: 'Cursor', key: 'k', payload: '7' }
    await store.put({ ...entry, expiresAt: Number.MAX_SAFE_INTEGER })
    clock.millis += 1e12
    expect((await store.find(entry))?.payload).toBe('7')
    await redis.inspect(async (r) => expect(await r.pttl((await r.keys('*'))[0] ?? '')).toBe(-1))
  })

  test('a session that gets another key while its account is listed is in the list, once', async () => {
    await using under = await opened()
    const { store, clock } = under
    const session = (n: number) => ({
      ...{ tenantId: 't', kind: 'Session', key: `k${n}`, payload: `{"n":${n}}` },
      ...{ expiresAt: (clock.millis + 60_000) * 1000, uid: 'u', accountId: 'a' },
    })
    const other = { ...session(-1), uid: 'other' }
    await Promise.all([store.put(session(0)), store.put(other)])
    for (let n = 1; n <= 20; n++) {
      // Both begin on the same connection: the move reaches Redis between two commands of the list.
      const listing = store.listByAccount('t', 'Session', 'a')
      const moving = store.write([
        { kind: 'delete', name: session(n - 1), read: session(n - 1).payload },
        { kind: 'put', entry: session(n) },
      ])
      expect(await moving).toBe(true)
      expect((await listing).map(({ uid }) => uid).toSorted()).toEqual(['other', 'u'])
    }
  })

  test('the list of an account removes what is gone from its index, and keeps what is there again', async () => {
    await using under = await opened()
    const { store, clock } = under
    const session = (n: number) => ({
      ...{ tenantId: 't', kind: 'Session', key: `k${n}`, payload: '{}' },
      ...{ expiresAt: (clock.millis + 60_000) * 1000, uid: `u${n}`, accountId: 'a' },
    })
    const all = [1, 2, 3, 4].map(session)
    for (const one of all) await store.put(one)
    for (const one of all.slice(1)) await store.delete(one)
    const again = all[1] as (typeof all)[number]
    const [listed] = await Promise.all([store.listByAccount('t', 'Session', 'a'), store.put(again)])
    expect(listed).toContainEqual(all[0])
    expect(await redis.inspect((r) => r.zcard(keyOf('a', 't', 'Session', 'a')))).toBe(2)
    expect(await store.listByAccount('t', 'Session', 'a')).toEqual([all[0], again])
  })

  test('waits are the same as on SQLite', async () => {
    await using under = await opened()
    const clock = { now: () => under.clock.millis }
    const sqlite = createSqliteProtocolStore({ path: ':memory:', clock })
    onTestFinished(() => sqlite.close())
    const limit = { free: 3, baseSeconds: 2, maxSeconds: 900, forgetSeconds: 3_600 }
    for (let i = 0; i < 60; i++) {
      expect(await under.store.admit('k', limit)).toEqual(await sqlite.admit('k', limit))
      under.clock.millis += (i * 7919) % 40_000
    }
  })

  test('while Redis is gone, every call fails as a store does, and soon', async () => {
    await using own = await startRedis()
    await using under = await open(own.url, async () => {})
    const { store } = under
    await store.delete({ tenantId: 't', kind: 'Session', key: 'k' })
    await own.kill()
    const limit = { free: 3, baseSeconds: 2, maxSeconds: 900, forgetSeconds: 3_600 }
    const failure = { name: 'StoreError', message: expect.stringContaining('Redis failed') }
    await expect(store.attempts('k')).rejects.toMatchObject(failure)
    await expect(store.beginAttempt([{ key: 'k', limit }], 'a', 1)).rejects.toMatchObject(failure)
    await expect(store.findByUid('t', 'Session', 'u')).rejects.toMatchObject(failure)
    await own.restart()
    expect(await store.attempts('k')).toBeUndefined()
  })
})

test('a connection to Redis that went silent is replaced', async () => {
  await using own = await startRedis()
  using proxy = await startSilentProxy(own.port)
  await using under = await open(`redis://127.0.0.1:${proxy.port}`, async () => {})
  const { store } = under
  await store.check()
  proxy.silence()

  await expect(store.check()).rejects.toMatchObject({ name: 'StoreError' })
  await vi.waitFor(() => store.check())
})

test('a process that cannot reach Redis is not ready', async () => {
  await using own = await startRedis()
  await using under = await open(own.url, async () => {})
  await under.store.check()
  await own.kill()
  await expect(under.store.check()).rejects.toThrow('Redis failed')
  await own.restart()
  await vi.waitFor(() => under.store.check())
})

describe('the store on a Redis Cluster', () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  const url = () =>
    `redis-cluster://${cluster.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`
  const opened = () =>
    open(url(), () => Promise.all(cluster.nodes.map((node) => node.inspect((r) => r.flushall()))))

  /** Writes on a connection of its own, whose commands may be held for long. */
  function openWriter({ clock }: StoreUnderTest) {
    const client = connectRedis(url(), HELD_MS)
    onTestFinished(() => client.disconnect())
    const now = () => clock.millis * 1000
    return createEntryWrites({ client, scripts: createScripts(client), now })
  }

  /** The first of many names whose Redis key is on a node. */
  async function nameOn(node: number, keyOfName: (name: string) => string): Promise<string> {
    for (let n = 0; ; n++) {
      const key = keyOfName(`${n}`)
      const slot = await cluster.nodes[0]?.inspect((r) => r.call('cluster', 'keyslot', key))
      if (Math.floor((Number(slot) * 3) / 16_384) === node) return `${n}`
    }
  }

  /** Holds all writes of a node until they are released. */
  async function hold(node: number): Promise<AsyncDisposable> {
    const call = (...args: [string, ...(string | number)[]]) =>
      cluster.nodes[node]?.inspect((r) => r.call(...args))
    await call('client', 'pause', HELD_MS, 'write')
    return {
      async [Symbol.asyncDispose]() {
        await call('client', 'unpause')
      },
    }
  }

  describeProtocolStore(opened, { expiresByItself: true })

  test('what an answered device login names is stored before the answer', async () => {
    await using under = await opened()
    const { store, clock } = under
    const on = async (node: number, kind: string) => {
      const key = await nameOn(node, (name) => entryKey({ tenantId: 't', kind, key: name }))
      return { tenantId: 't', kind, key, payload: '{}', expiresAt: (clock.millis + 60_000) * 1000 }
    }
    const [code, grant] = [await on(0, 'DeviceCode'), await on(1, 'Grant')]
    await store.put(code)
    const answered = { ...code, payload: '{"grantId":"g"}' }
    const writer = openWriter(under)
    const answer = () =>
      writer.write([
        { kind: 'put', entry: answered, read: code.payload },
        { kind: 'put', entry: { ...grant, accountId: 'a' }, isNew: true },
      ])
    {
      await using held = await hold(0)
      const answering = answer()
      await expect.poll(() => store.find(grant)).toBeDefined()
      expect(await store.find(code)).toMatchObject({ payload: code.payload })
      await held[Symbol.asyncDispose]()
      expect(await answering).toBe(true)
    }
    expect(await store.find(code)).toMatchObject({ payload: answered.payload })

    // A second answer is refused, and leaves nothing.
    await store.delete(grant)
    expect(await answer()).toBe(false)
    expect(await store.find(grant)).toBeUndefined()
    expect(await store.listByAccount('t', 'Grant', 'a')).toEqual([])
  })

  test('a session that gets another key is in the list of its account at every moment', async () => {
    await using under = await opened()
    const { store, clock } = under
    const accountId = await nameOn(2, (name) => keyOf('a', 't', 'Session', name))
    const on = async (node: number) => ({
      ...{ tenantId: 't', kind: 'Session', payload: `{"on":${node}}`, uid: 'u', accountId },
      key: await nameOn(node, (key) => entryKey({ tenantId: 't', kind: 'Session', key })),
      expiresAt: (clock.millis + 60_000) * 1000,
    })
    const [first, second] = [await on(0), await on(1)]
    const writer = openWriter(under)
    const move = (from: typeof first, to: typeof first) =>
      writer.write([
        { kind: 'delete', name: from, read: from.payload },
        { kind: 'put', entry: to, isNew: true },
      ])
    const listed = async () =>
      new Set((await store.listByAccount('t', 'Session', accountId)).map(({ uid }) => uid))
    await store.put(first)
    for (const node of [1, 2, 0]) {
      await using held = await hold(node)
      const moving = move(first, second)
      // Meanwhile, the move comes to the write that is held.
      for (let n = 0; n < 5; n++) expect(await listed(), `node ${node}`).toEqual(new Set(['u']))
      await held[Symbol.asyncDispose]()
      expect(await moving).toBe(true)
      expect(await listed()).toEqual(new Set(['u']))
      expect(await store.findByUid('t', 'Session', 'u')).toEqual(second)
      expect(await move(second, first)).toBe(true)
    }
  })

  test('a session that cannot get another key stays as it is', async () => {
    await using under = await opened()
    const { store, clock } = under
    const session = (key: string) => ({
      ...{ tenantId: 't', kind: 'Session', key, payload: '{}', uid: 'u', accountId: 'a' },
      expiresAt: (clock.millis + 60_000) * 1000,
    })
    const [first, second] = [session('1'), session('2')]
    const move = (read: string, to: typeof first) =>
      store.write([
        { kind: 'delete', name: first, read },
        { kind: 'put', entry: to, isNew: true },
      ])
    await store.put(first)
    expect(await move('other', second)).toBe(false)
    expect(await store.find(second)).toBeUndefined()
    expect(await store.findByUid('t', 'Session', 'u')).toEqual(first)
    expect(await store.listByAccount('t', 'Session', 'a')).toEqual([first])

    // Of many moves at once, one is made.
    const many = Array.from({ length: 8 }, (_, n) => session(`3${n}`))
    const moves = await Promise.all(many.map((to) => move('{}', to)))
    const made = many.filter((_, n) => moves[n])
    expect(made).toHaveLength(1)
    expect(await store.findByUid('t', 'Session', 'u')).toEqual(made[0])
    expect(await store.listByAccount('t', 'Session', 'a')).toEqual(made)
  })
})

test('behind Sentinel, the store goes on with the server that takes over', async () => {
  await using set = await startSentinel()
  const url = `redis-sentinel://127.0.0.1:${set.sentinel.port}/sessions`
  await using under = await open(url, async () => {})
  const { store, clock } = under
  const entry = { tenantId: 't', kind: 'Session', key: 'k', payload: '{}' }
  await store.put({ ...entry, expiresAt: (clock.millis + 60_000) * 1000 })
  // It waits for what the same connection has written, and with that for all of before.
  await set.master.inspect(async (r) => {
    await r.set('latest', '1')
    await expect.poll(() => r.wait(1, 1_000)).toBe(1)
  })
  await set.master.kill()
  await expect
    .poll(() => store.find(entry).catch(() => 'no answer'))
    .toMatchObject({ payload: '{}' })
  await expect.poll(() => store.consume(entry).catch(() => false)).toBe(true)
})

test('an address names one server, a Cluster or Sentinels', () => {
  expect(parseRedisAddress('redis://u:p%40ss@db.internal:6380/2')).toMatchObject({
    kind: 'server',
    nodes: [{ host: 'db.internal', port: 6380 }],
    username: 'u',
    password: 'p@ss',
    database: 2,
    hasTls: false,
  })
  expect(parseRedisAddress('rediss-cluster://:secret@a,[::1]:7000')).toMatchObject({
    kind: 'cluster',
    nodes: [
      { host: 'a', port: 6379 },
      { host: '::1', port: 7000 },
    ],
    username: undefined,
    password: 'secret',
    hasTls: true,
  })
  expect(parseRedisAddress('redis-sentinel://a,b:5000/main')).toMatchObject({
    kind: 'sentinel',
    nodes: [
      { host: 'a', port: 26_379 },
      { host: 'b', port: 5000 },
    ],
    name: 'main',
  })
  const wrong = [
    'localhost:6379',
    'http://x',
    'redis://a,b',
    'redis-sentinel://a',
    'redis-cluster://a/1',
  ]
  for (const address of wrong) expect(() => parseRedisAddress(address)).toThrow('must be redis://')
  expect(() => parseRedisAddress('redis://:hunter2@a,b')).toThrow(/^(?!.*hunter2)/)
})

test.each([
  ['redis://:pa:hunter2@h', 'a colon in the password'],
  ['redis://u:pa@hunter2@h', 'an at sign in the password'],
  ['rediss-cluster://u:pa@hunter2@h,g', 'an at sign in the password, and several hosts'],
  ['redis://u:pa@h/hunter2@h', 'an at sign and a slash in the password'],
  ['redis-sentinel://u:pa@h/hunter2@h/main', 'the same, and the name of a server'],
  ['redis-sentinel://u:pa@hunter2?@h/main', 'an at sign and a question mark'],
  ['redis://u:hunter2%@h', 'a percent sign in the password'],
  ['redis://us@er:hunter2@h', 'an at sign in the user'],
])('the address %s is refused for %s, without the password in the message', (address) => {
  expect(() => parseRedisAddress(address)).toThrow(/^(?!.*hunter2).*must be percent-encoded/)
})
