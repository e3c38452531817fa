import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { startRedis } from '../../../session-store/test/support/redis.ts'
import { examineShared } from '../../src/operate/examine-shared.ts'
import { createIdentityService } from '../../src/service.ts'
import { createDatabase } from '../support/postgres.ts'
import { run } from './support.ts'

const database = await createDatabase()
const redis = await startRedis(['appendonly yes'])
afterAll(async () => {
  await redis[Symbol.asyncDispose]()
  await database.drop()
})

const env = {
  LATCHKEY_DATABASE: database.url,
  LATCHKEY_REDIS: redis.url,
  LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
}

test('doctor finds a Redis that evicts, one that keeps nothing and a counter that is wrong, and repairs the counter', async () => {
  // Operators have a tenant of their own, which no list of tenants counts.
  const operator = ['--email', 'ada@example.com', '--role', 'owner']
  const invited = ['operator', 'invite', ...operator, '--console-url', 'https://console.example']
  expect(await run(invited, env)).toMatchObject({ code: 0 })
  expect((await run(['doctor'], env)).stdout).toBe('Nothing needs a decision.\n')

  await redis.inspect(async (r) => {
    await r.config('SET', 'maxmemory-policy', 'allkeys-lru')
    await r.config('SET', 'appendonly', 'no')
  })
  await database.query("update counter_shards set n = n + 5 where scope = 'tenants' and shard = 3")
  const found = await run(['doctor', '--repair'], env)
  expect(found.stdout).toContain('maxmemory-policy allkeys-lru. Set noeviction')
  expect(found.stdout).toContain('keeps nothing on disk')
  expect(found.stdout).toContain('The counter tenants said 5, and there are 0. It was repaired.')
  expect(found.code).toBe(1)

  const [{ n } = { n: undefined }] = await database.query(
    "select sum(value)::int as n from counters where scope = 'tenants'",
  )
  expect(n).toBe(0)
})

test('doctor says by how much the clocks of the machine, PostgreSQL and Redis differ', async () => {
  const { now } = Date
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + 120_000)
  onTestFinished(() => spy.mockRestore())
  const findings = await examineShared({
    ...{ database: { url: database.url }, redis: redis.url, repair: false },
  })
  expect(findings).toContain(
    'The clock of this machine is 120 s ahead of that of PostgreSQL. Let both keep their time by NTP.',
  )
  // PostgreSQL and Redis run on the same machine.
  expect(findings.join()).not.toContain('The clock of Redis')
  spy.mockRestore()

  await using behind = await startClockRedis(-90)
  const found = await examineShared({
    ...{ database: { url: database.url }, redis: behind.url, repair: false },
  })
  expect(found.join()).toContain(`The clock of Redis at 127.0.0.1:${behind.port} is 90 s behind`)
})

/** Stands for a Redis by what doctor asks: one whose clock is ahead by so many seconds. */
async function startClockRedis(seconds: number) {
  const server = createServer((socket) => {
    socket.on('data', (data) => {
      const commands = data.toString().matchAll(/^\*\d+\r\n\$\d+\r\n(\w+)\r$/gm)
      for (const [, name = ''] of commands) {
        const at = String(Math.round(Date.now() / 1_000) + seconds)
        if (/^time$/i.test(name)) socket.write(`*2\r\n$${at.length}\r\n${at}\r\n$1\r\n0\r\n`)
        else if (/info/i.test(name)) socket.write('$17\r\naof_enabled:1\r\n\r\n\r\n')
        else if (/^get$/i.test(name)) socket.write('$-1\r\n')
        else socket.write('+OK\r\n')
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

test('doctor finds an audit log that was restored without its sequence, and one whose end is held back', async () => {
  await redis.inspect((r) => r.config('SET', 'maxmemory-policy', 'noeviction'))
  await redis.inspect((r) => r.config('SET', 'appendonly', 'yes'))
  const row = (id: number) =>
    `insert into audit (id, at, actor, action, target) values (${id}, 1, 'admin', 'x', 'y')`
  await database.query(row(50))
  await database.query('update cursors set position = 90')
  const found = await run(['doctor', '--repair'], env)
  expect(found.stdout).toContain('entries up to 50, and new ones begin at')
  expect(found.stdout).toContain('read up to 90')
  expect((await run(['doctor'], env)).stdout).toBe('Nothing needs a decision.\n')

  await database.query('begin')
  await database.query(
    "insert into audit (at, actor, action, target) values (1, 'admin', 'x', 'y')",
  )
  const held = await run(['doctor'], env)
  await database.query('commit')
  expect(held.stdout).toContain('behind 50 are not exported while a transaction')
})

test('a service warns at its start of a Redis that may evict sessions', async () => {
  await redis.inspect((r) => r.config('SET', 'maxmemory-policy', 'volatile-ttl'))
  const warnings: object[] = []
  const say = () => {}
  const warn = (facts: object) => void warnings.push(facts)
  await using _ = await createIdentityService({
    database: database.url,
    redis: redis.url,
    masterKey: env.LATCHKEY_MASTER_KEY,
    logger: { debug: say, info: say, warn, error: say } as never,
  })
  await expect
    .poll(() => warnings)
    .toContainEqual({
      node: `127.0.0.1:${redis.port}`,
      evictionPolicy: 'volatile-ttl',
    })
})
