import { afterAll, beforeAll, expect, test } from 'vitest'
import { startRedis, type TestRedis } from '../../session-store/test/support/redis.ts'
import { runChecks } from '../src/doctor/checks.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startRedis(['maxmemory-policy noeviction'])
  await redis.inspect(async (r) => {
    const rights = ['on', '>secret', '~latchkey:*', '+@read', '+@connection']
    await r.call('ACL', 'SETUSER', 'reader', ...rights)
    await r.call('ACL', 'SETUSER', 'writer', ...rights, '+set')
  })
})
afterAll(() => redis[Symbol.asyncDispose]())

/** The finding about Redis, of an installation that has nothing else. */
async function findingFor(user: string, password = 'secret') {
  const credentials = user === '' ? '' : `${user}:${password}@`
  const findings = await runChecks({
    ...{ issuer: 'http://127.0.0.1:1', baseUrl: 'http://127.0.0.1:1', callback: '/callback' },
    redisUrl: redis.url.replace('//', `//${credentials}`),
    fetch: () => Promise.reject(new Error('there is no server')),
  })
  return findings.find((finding) => finding.check === 'Redis')
}

const refused = { state: 'fault', found: expect.stringContaining('answers, but refuses writes') }

test('doctor finds that Redis takes writes, by a key that expires', async () => {
  for (const user of ['', 'writer']) expect(await findingFor(user)).toMatchObject({ state: 'ok' })
  await redis.inspect(async (r) => {
    const keys = await r.keys('*')
    expect(keys).toHaveLength(2)
    for (const key of keys) {
      expect(key).toMatch(/^latchkey:check:/)
      expect(await r.pttl(key)).toBeGreaterThan(0)
    }
  })
})

test('doctor finds a Redis whose user may only read, and one that refuses the password', async () => {
  expect(await findingFor('reader')).toMatchObject(refused)
  const finding = await findingFor('writer', 'wrong')
  expect(finding).toMatchObject({ state: 'fault', found: expect.stringContaining('WRONGPASS') })
  expect(finding?.found).not.toContain('refuses writes')
})

test('doctor finds a Redis that is full, and one that is a replica', async () => {
  await redis.inspect((r) => r.config('SET', 'maxmemory', '1'))
  expect(await findingFor('')).toMatchObject(refused)
  await redis.inspect((r) => r.config('SET', 'maxmemory', '0'))
  await redis.inspect((r) => r.call('REPLICAOF', '127.0.0.1', '1'))
  expect(await findingFor('')).toMatchObject(refused)
})
