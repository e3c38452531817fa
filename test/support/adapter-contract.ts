import { createHash } from 'node:crypto'
import { createSessionStore } from '@latchkey/session-store'
import { type AdapterUnderTest, describeAdapter, type TestRunner } from '@latchkey/testing/adapter'
import { afterAll, describe, it } from 'vitest'
import { watchLog } from '../../packages/express/test/support/errors.ts'
import { startRedis, type TestRedis } from '../../packages/session-store/test/support/redis.ts'
import { atFileEnd } from './file-end.ts'
import { remember, watchServer } from './leaks.ts'

let redis: Promise<TestRedis> | undefined
let prefixes = 0

const ALL = ['memory', 'Redis', 'cookies'] as const

type Sessions = (typeof ALL)[number]

/** One of so many cases runs under a host with fewer than three ways to keep sessions. */
const SHARE = 3

type Without = NonNullable<AdapterUnderTest['without']>

/**
 * Runs the contract of an adapter; what it sends and logs is searched for secrets. With all three ways to keep sessions,
 * each case runs on each of them. With fewer, a third of the cases run, each on one of them, chosen by its name.
 * `LATCHKEY_CONTRACT=full` runs each case on all three under every host, as it is done each night, `memory` each on that one alone.
 *
 * @param sessions - Where sessions are kept. Default all three.
 * @param without - The cases that the framework makes impossible, by the way sessions are kept.
 */
export function runContract(
  host: string,
  create: AdapterUnderTest['createServer'],
  sessions: readonly Sessions[] = ALL,
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
    memory: { name: host, createServer },
    Redis: { name: `${host} on Redis`, createServer, ...onRedis() },
    cookies: { name: `${host} with sessions in cookies`, createServer, sessions: 'cookie' },
  }
  const lane = process.env.LATCHKEY_CONTRACT
  const chosen =
    lane === 'full' ? ALL : lane === 'memory' ? ALL.filter((kept) => kept === lane) : sessions
  const declare = (kept: Sessions, left: Without, runner: TestRunner): void =>
    describeAdapter({ webhooks: true, ...adapters[kept], without: left }, runner)
  const casesOn = (kept: Sessions): ReadonlySet<string> => {
    const names = new Set<string>()
    declare(kept, without(kept) ?? {}, {
      describe: (_, body) => body(),
      it: (name) => names.add(name),
      afterAll: () => undefined,
    })
    return names
  }
  const cases = new Map(chosen.map((kept) => [kept, casesOn(kept)]))
  /** Why a case does not run with sessions kept in this way; `undefined` if it does. */
  function whyNot(name: string, kept: Sessions): string | undefined {
    if (lane !== undefined || chosen.length === ALL.length) return undefined
    const able = chosen.filter((other) => cases.get(other)?.has(name))
    const own = able[numberOf(name) % able.length]
    if (own !== kept) return `it runs on ${own}`
    return numberOf(`${host} ${name}`) % SHARE === 0 ? undefined : 'it runs each night'
  }
  for (const kept of chosen) {
    const left: Record<string, string> = { ...without(kept) }
    for (const name of cases.get(kept) ?? []) {
      const reason = whyNot(name, kept)
      if (reason !== undefined) left[name] = reason
    }
    declare(kept, left, { describe, it, afterAll })
  }
}

/** A number that a name always has. */
function numberOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE()
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

atFileEnd(async () => {
  const started = redis
  redis = undefined
  // One that could not be started has failed the tests that asked for it.
  await (await started?.catch(() => undefined))?.[Symbol.asyncDispose]()
})
