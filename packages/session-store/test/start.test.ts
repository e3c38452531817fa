import path from 'node:path'
import { createAuth } from '@latchkey/core'
import { nodePlatform } from '@latchkey/core/node'
import { createSessionStore, type SessionStoreOptions } from '@latchkey/session-store'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import { createClient } from 'redis'
import { afterEach, expect, test, vi } from 'vitest'
import { startRedis } from './support/redis.ts'

const PASSWORD = 'correct-horse-battery'
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

interface Line {
  readonly code: string
  readonly cause?: string
  readonly remedy?: string
  readonly message: string
}

/** Starts an application that nobody visits, and collects what it logs. */
async function start(redis: string | SessionStoreOptions, issuer?: string): Promise<Line[]> {
  const lines: Line[] = []
  const write = (facts: Line, message: string) => lines.push({ ...facts, message })
  const provider = await startMisbehavingProvider()
  const store = createSessionStore(typeof redis === 'string' ? { url: redis } : redis)
  closing.push(
    () => store.close(),
    () => provider.close(),
  )
  createAuth({
    issuer: issuer ?? provider.issuer,
    clientId: 'app',
    clientSecret: 'secret',
    baseUrl: 'http://localhost:3000',
    session: { secret: 'x'.repeat(32), store },
    logger: { info: write, warn: write, error: write },
  })
  return lines
}

test('a Redis that is down is said at start, once, with its address and the cause', async () => {
  const lines = await start(`redis://:${PASSWORD}@127.0.0.1:1`)
  await vi.waitFor(() => expect(lines).toHaveLength(1))
  const [line] = lines
  expect(line?.code).toBe('LATCHKEY_SESSION_UNAVAILABLE')
  expect(line?.message).toContain('127.0.0.1:1 ')
  expect(line?.message).toContain('ECONNREFUSED')
  expect(line?.remedy).toBe('Start Redis, or correct the host and port of its address.')
  expect(JSON.stringify(lines)).not.toContain('max retries')
  expect(JSON.stringify(lines)).not.toContain(PASSWORD)
})

test('a Redis that is down is said at start where test users log in without a provider', async () => {
  const store = createSessionStore({ url: 'redis://127.0.0.1:1' })
  closing.push(() => store.close())
  const lines: Line[] = []
  const write = (facts: Line, message: string) => lines.push({ ...facts, message })
  const program = process.argv[1] as string
  // Personas are looked for beside the program that runs, which is the test runner here.
  process.argv[1] = path.join(import.meta.dirname, '../../express/test/personas.test.ts')
  createAuth(
    {
      baseUrl: 'http://localhost:3000',
      session: { store },
      logger: { info: write, warn: write, error: write },
    },
    nodePlatform(),
  )
  process.argv[1] = program
  const down = () => lines.filter(({ code }) => code === 'LATCHKEY_SESSION_UNAVAILABLE')
  await vi.waitFor(() => expect(down()).toHaveLength(1))
  expect(lines.map(({ code }) => code)).toContain('LATCHKEY_PERSONAS')
  expect(down()[0]?.message).toContain('ECONNREFUSED')
  expect(down()[0]?.remedy).toContain('Start Redis')
})

test('a client of node-redis without a connection says at start why it has none', async () => {
  const client = createClient({ url: 'redis://127.0.0.1:1' })
  client.connect().catch(() => {})
  const lines = await start({ client })
  closing.push(() => client.destroy())
  await vi.waitFor(() => expect(lines).toHaveLength(1))
  expect(lines[0]?.message).toContain('ECONNREFUSED')
})

test.each([
  ['a wrong password', 'another-password', 'WRONGPASS'],
  ['no password', '', 'NOAUTH'],
])(
  'at start, Redis with %s says what to correct, and shows no password',
  async (_name, password, reply) => {
    await using redis = await startRedis([`requirepass ${PASSWORD}`], { password: PASSWORD })
    const auth = password === '' ? '' : `:${password}@`
    const lines = await start(redis.url.replace('//', `//${auth}`))
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0))
    const [line] = lines
    expect(line?.code).toBe('LATCHKEY_SESSION_UNAVAILABLE')
    expect(line?.message).toContain(`127.0.0.1:${redis.port}`)
    expect(line?.message).toContain(reply)
    expect(line?.remedy).toBe("Correct the user and the password of Redis' address or client.")
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`${PASSWORD}|another-password`))
  },
)

test('a provider that is down is said at start with its address and the cause', async () => {
  await using redis = await startRedis()
  const lines = await start(redis.url, 'http://127.0.0.1:6399/issuer')
  await vi.waitFor(() => expect(lines).toHaveLength(1))
  expect(lines[0]?.code).toBe('LATCHKEY_PROVIDER_UNAVAILABLE')
  expect(lines[0]?.message).toContain('http://127.0.0.1:6399/issuer')
  expect(lines[0]?.cause).toContain('ECONNREFUSED')
})
