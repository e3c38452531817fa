import { createSessionStore } from '@latchkey/session-store'
import { type AdapterUnderTest, describeAdapter } from '@latchkey/testing/adapter'
import { afterAll, describe, it } from 'vitest'
import { watchLog } from '../../packages/express/test/support/errors.ts'
import { startRedis, type TestRedis } from '../../packages/session-store/test/support/redis.ts'
import { remember, watchServer } from './leaks.ts'

let redis: Promise<TestRedis> | undefined
let prefixes = 0

/**
 * Runs the contract of an adapter in memory, on Redis and with sessions in cookies; what it sends and logs
 * is searched for secrets.
 */
export function runContract(name: string, create: AdapterUnderTest['createServer']): void {
  const createServer: typeof create = async (options, application) => {
    remember('session secret', ...[options.session?.secret ?? []].flat())
    const logger = options.logger || watchLog()
    const server = await create({ ...options, logger }, application)
    watchServer(server)
    return server
  }
  const runner = { describe, it, afterAll }
  describeAdapter({ name, createServer }, runner)
  describeAdapter({ name: `${name} on Redis`, createServer, ...onRedis() }, runner)
  describeAdapter(
    { name: `${name} with sessions in cookies`, createServer, sessions: 'cookie' },
    runner,
  )
}

/** Sessions in Redis, under a prefix of their own. */
function onRedis(): Pick<AdapterUnderTest, 'openStore' | 'close'> {
  const prefix = `contract${++prefixes}:`
  const stores: { close(): Promise<void> }[] = []
  return {
    async openStore() {
      redis ??= startRedis()
      const store = createSessionStore({ url: (await redis).url, prefix })
      stores.push(store)
      return store
    },
    close: () => Promise.all(stores.map((store) => store.close())),
  }
}

afterAll(async () => {
  await (await redis)?.[Symbol.asyncDispose]()
})
