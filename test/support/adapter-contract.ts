import { createSessionStore } from '@latchkey/session-store'
import { type AdapterUnderTest, describeAdapter } from '@latchkey/testing/adapter'
import { afterAll, describe, it } from 'vitest'
import { watchLog } from '../../packages/express/test/support/errors.ts'
import { startRedis, type TestRedis } from '../../packages/session-store/test/support/redis.ts'
import { remember, watchServer } from './leaks.ts'

let redis: Promise<TestRedis> | undefined
let prefixes = 0

type Sessions = 'memory' | 'Redis' | 'cookies'

/**
 * Runs the contract of an adapter; what it sends and logs is searched for secrets.
 *
 * @param sessions - Where sessions are kept. Default all three. `LATCHKEY_CONTRACT=full` runs all three under every
 *   host, `memory` that one alone.
 * @param without - The cases that the framework makes impossible, by the way sessions are kept.
 */
export function runContract(
  name: string,
  create: AdapterUnderTest['createServer'],
  sessions: readonly Sessions[] = ['memory', 'Redis', 'cookies'],
  without: (sessions: Sessions) => AdapterUnderTest['without'] = () => undefined,
): void {
  const createServer: typeof create = async (options, application) => {
    remember('session secret', ...[options.session?.secret ?? []].flat())
    const logger = options.logger || watchLog()
    const server = await create({ ...options, logger }, application)
    watchServer(server)
    return server
  }
  const adapters: Record<Sessions, AdapterUnderTest> = {
    memory: { name, createServer },
    Redis: { name: `${name} on Redis`, createServer, ...onRedis() },
    cookies: { name: `${name} with sessions in cookies`, createServer, sessions: 'cookie' },
  }
  const lane = process.env.LATCHKEY_CONTRACT
  for (const [kept, adapter] of Object.entries(adapters)) {
    const isChosen = lane === 'memory' ? kept === lane : sessions.includes(kept as Sessions)
    if (!isChosen && lane !== 'full') continue
    const leftOut = without(kept as Sessions) ?? {}
    describeAdapter({ webhooks: true, ...adapter, without: leftOut }, { describe, it, afterAll })
  }
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
