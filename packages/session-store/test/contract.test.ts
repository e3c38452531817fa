import { readFileSync } from 'node:fs'
import { createMemoryStore, type SessionStore } from '@latchkey/core'
import { fromExpressStore } from '@latchkey/express'
import { createSessionStore } from '@latchkey/session-store'
import { sessionStoreCases } from '@latchkey/testing/session-store'
import { RedisStore } from 'connect-redis'
import { Cluster, Redis } from 'ioredis'
import { createClient, createCluster, createSentinel } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  startCluster,
  startRedis,
  startSentinel,
  type TestCluster,
  type TestRedis,
  type TestSentinel,
} from './support/redis.ts'

const secret = 'a secret of the tests, 32 characters long'
const cases = sessionStoreCases()

interface Kind {
  readonly name: string
  open(): Promise<{ open(): SessionStore; close(): Promise<unknown> | unknown }>
}

let redis: TestRedis
let sentinel: TestSentinel
let cluster: TestCluster

beforeAll(async () => {
  redis = await startRedis()
  sentinel = await startSentinel()
  cluster = await startCluster()
})

afterAll(async () => {
  for (const one of [redis, sentinel, cluster]) await one[Symbol.asyncDispose]()
})

/** Every store of a kind is a new one over two connections, as in two processes. */
function over(clients: readonly (Redis | Cluster | Parameters<typeof sealed>[0])[]): {
  open(): SessionStore
} {
  const stores = clients.map((client) => sealed(client))
  let turn = 0
  return { open: () => stores[turn++ % stores.length] as SessionStore }
}

function sealed(
  client: NonNullable<NonNullable<Parameters<typeof createSessionStore>[0]>['client']>,
): SessionStore {
  return createSessionStore({ client, secret })
}

async function nodeRedis<T extends { connect(): Promise<unknown>; destroy(): unknown }>(
  make: () => T,
): Promise<[T, T]> {
  const pair: [T, T] = [make(), make()]
  for (const one of pair) await one.connect()
  return pair
}

const kinds: Kind[] = [
  {
    name: 'the memory store of the core',
    open: async () => {
      const store = createMemoryStore({ now: () => Date.now() / 1000 })
      return { open: () => store, close: () => {} }
    },
  },
  {
    name: 'memory',
    open: async () => {
      const store = createSessionStore()
      return { open: () => store, close: () => {} }
    },
  },
  {
    name: 'Redis by its url',
    open: async () => {
      const stores = [redis, redis].map(({ url }) => createSessionStore({ url, secret }))
      let turn = 0
      return {
        open: () => stores[turn++ % 2] as SessionStore,
        close: () => Promise.all(stores.map((store) => store.close())),
      }
    },
  },
  {
    name: 'Redis with ioredis',
    open: async () => {
      const clients = [new Redis(redis.url), new Redis(redis.url)]
      return { ...over(clients), close: () => clients.forEach((one) => void one.disconnect()) }
    },
  },
  {
    name: 'Redis with node-redis',
    open: async () => {
      const clients = await nodeRedis(() => createClient({ url: redis.url }))
      return { ...over(clients), close: () => clients.forEach((one) => void one.destroy()) }
    },
  },
  {
    name: 'Sentinel with ioredis',
    open: async () => {
      const sentinels = [{ host: '127.0.0.1', port: sentinel.sentinel.port }]
      const clients = [0, 1].map(() => new Redis({ sentinels, name: 'sessions' }))
      return { ...over(clients), close: () => clients.forEach((one) => void one.disconnect()) }
    },
  },
  {
    name: 'Sentinel with node-redis',
    open: async () => {
      const sentinelRootNodes = [{ host: '127.0.0.1', port: sentinel.sentinel.port }]
      const clients = await nodeRedis(() => createSentinel({ name: 'sessions', sentinelRootNodes }))
      return { ...over(clients), close: () => clients.forEach((one) => void one.destroy()) }
    },
  },
  {
    name: 'Cluster with ioredis',
    open: async () => {
      const nodes = cluster.nodes.map(({ port }) => ({ host: '127.0.0.1', port }))
      const clients = [0, 1].map(() => new Cluster(nodes, { enableAutoPipelining: true }))
      return { ...over(clients), close: () => clients.forEach((one) => void one.disconnect()) }
    },
  },
  {
    name: 'Cluster with node-redis',
    open: async () => {
      const rootNodes = cluster.nodes.map(({ url }) => ({ url }))
      const clients = await nodeRedis(() => createCluster({ rootNodes }))
      return { ...over(clients), close: () => clients.forEach((one) => void one.destroy()) }
    },
  },
]

describe.for(kinds)('$name', { concurrent: true }, (kind) => {
  let opened: Awaited<ReturnType<Kind['open']>>
  beforeAll(async () => {
    opened = await kind.open()
  })
  afterAll(() => opened.close())

  test.for(cases)('$ability: $name', async (one) => {
    await one.run(opened.open)
  })
})

test('without the kit’s store, connect-redis stores sessions but fails the other parts of the contract', async () => {
  const client = createClient({ url: redis.url }).on('error', () => {})
  await client.connect()
  // Two processes, as with the other kinds.
  const stores = [0, 1].map(() => fromExpressStore(new RedisStore({ client, prefix: 'alone:' })))
  const outcomes = await Promise.allSettled(
    cases.map((one) => {
      let turn = 0
      return one.run(() => stores[turn++ % 2] as SessionStore)
    }),
  )
  const kept = new Map(
    cases.map(({ ability, name }, at) => [
      `${ability}: ${name}`,
      outcomes[at]?.status === 'fulfilled',
    ]),
  )
  client.destroy()

  const kinds = new Set([...kept].filter(([, ok]) => !ok).map(([name]) => name.split(':')[0]))
  expect([...kinds]).toEqual(['late writes', 'update', 'index', 'once', 'lock'])
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const rows = readme.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  for (const [name, ok] of kept) {
    const promise = name.slice(name.indexOf(': ') + 2)
    expect(rows).toContainEqual(['', promise, 'yes', 'yes', ok ? 'yes' : 'no', ''])
  }
})
