import { expect, test } from 'vitest'
import { startRedis, type TestRedis, until } from '../../../session-store/test/support/redis.ts'
import type { MessageQueues } from '../../src/store/protocol-store.ts'
import { createRedisProtocolStore } from '../../src/store/redis/protocol-store.ts'

/** A protocol store that is only checked, so that it needs no queues. */
function storeAt(url: string): AsyncDisposable & { check(): Promise<void> } {
  const clock = { now: () => Date.now() * 1000 }
  const store = createRedisProtocolStore({ url, clock, queues: {} as MessageQueues })
  return { check: () => store.check(), [Symbol.asyncDispose]: () => store.close() }
}

test('a Redis that takes writes is ready, and the key of the check expires', async () => {
  await using redis = await startRedis()
  await using store = storeAt(redis.url)
  await store.check()
  const keys = await redis.inspect((r) => r.keys('*'))
  expect(keys).toEqual([expect.stringMatching(/^latchkey:check:/)])
  await until('the key expires', async () => (await redis.inspect((r) => r.dbsize())) === 0)
})

const refusals: [name: string, prepare: (redis: TestRedis) => Promise<string>, reason: RegExp][] = [
  [
    'whose user may only read',
    async (redis) => {
      const rights = ['on', '>secret', '~latchkey:*', '+@read', '+@connection', '+@scripting']
      await redis.inspect((r) => r.call('ACL', 'SETUSER', 'reader', ...rights))
      return redis.url.replace('//', '//reader:secret@')
    },
    /The user executing the script can't run|NOPERM/,
  ],
  [
    'whose memory is full',
    async (redis) => {
      await redis.inspect((r) => r.config('SET', 'maxmemory', '1'))
      return redis.url
    },
    /OOM/,
  ],
  [
    'that is a replica',
    async (redis) => {
      await redis.inspect((r) => r.call('REPLICAOF', '127.0.0.1', '1'))
      return redis.url
    },
    // The store connects again, in case another server is the master by now.
    /READONLY|timed out/,
  ],
]

test.each(refusals)('a Redis %s answers, but is not ready', async (_, prepare, why) => {
  await using redis = await startRedis([
    'maxmemory-policy noeviction',
    'replica-serve-stale-data yes',
  ])
  await using store = storeAt(await prepare(redis))
  await expect(store.check()).rejects.toThrow(why)
})
