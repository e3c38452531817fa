import { createMemoryStore, type SessionStore } from '@latchkey/core'
import { createSessionStore } from '@latchkey/session-store'
import { atFileEnd } from '../../../../test/support/file-end.ts'
import { startRedis, type TestRedis } from '../../../session-store/test/support/redis.ts'

/** The stores that the kit promises the same behavior on. */
export const STORES = ['core', 'memory', 'redis'] as const

/** One of {@link STORES}: core's own, `createSessionStore()` in memory, or on Redis. */
export type StoreName = (typeof STORES)[number]

let redis: Promise<TestRedis> | undefined
let opened = 0

atFileEnd(async () => {
  const started = redis
  redis = undefined
  // One that could not be started has failed the tests that asked for it.
  await (await started?.catch(() => undefined))?.[Symbol.asyncDispose]()
})

/** Opens a store of a kind, with no sessions in it. Redis is started for the first that needs it. */
export async function openStore(
  name: StoreName,
): Promise<{ readonly store: SessionStore; close(): Promise<void> }> {
  if (name === 'core') return { store: createMemoryStore(), close: async () => {} }
  if (name === 'memory') return { store: createSessionStore(), close: async () => {} }
  redis ??= startRedis()
  const { url } = await redis
  const store = createSessionStore({ url, prefix: `test${++opened}:` })
  return { store, close: () => store.close() }
}
