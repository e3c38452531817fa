import { once } from 'node:events'
import { createSessionStore, type SessionStoreOptions } from '@latchkey/session-store'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.unstubAllEnvs())

const url = 'redis://127.0.0.1:1'
const refusals: [string, unknown, RegExp][] = [
  ['a url of something else', { url: 'http://localhost' }, /"url" must be a redis:/],
  ['a client of something else', { client: {} }, /"client" must be a client of ioredis/],
  ['an empty secret', { url, secret: '' }, /"secret" is empty\. Is the environment/],
  ['a short secret', { url, secret: 'short' }, /"secret" is too short: it needs 32/],
  ['a short secret in a list', { url, secret: ['x'.repeat(32), 'short'] }, /"secret" is too short/],
  ['a secret of a list that is not set', { url, secret: [undefined] }, /"secret" must be a string/],
  ['a time that is no number', { url, timeoutMilliseconds: Number.NaN }, /"timeoutMilliseconds"/],
  ['no time at all', { url, timeoutMilliseconds: 0 }, /milliseconds, 1 or more, not 0/],
  ['touching before the session was used', { url, touchSeconds: -1 }, /"touchSeconds"/],
  ['room for no session', { maxSessions: 0 }, /"maxSessions" must be a whole number/],
  ['an option that is misspelt', { urll: url }, /"urll" is not an option. Did you mean "url"\?/],
  ['the time to live of connect-redis', { url, ttl: 60 }, /"ttl" is not an option. Leave it out/],
]

test.for(refusals)('%s is refused at once, with a sentence', ([, options, message]) => {
  const make = () => createSessionStore(options as SessionStoreOptions)
  expect(make).toThrow(message)
  expect(make).toThrow(expect.objectContaining({ code: 'LATCHKEY_CONFIG_INVALID' }))
})

test('everything wrong with the options of a store is in one report', () => {
  const options = { urll: url, maxSessions: 0, secret: 'short' } as SessionStoreOptions

  expect(() => createSessionStore(options)).toThrow(/"urll"[\s\S]*"maxSessions"[\s\S]*"secret"/)
})

test('a store without a secret says so when it is used', async () => {
  const store = createSessionStore({ url })
  await expect(store.get('x')).rejects.toMatchObject({
    code: 'LATCHKEY_CONFIG_INVALID',
    message: expect.stringContaining('pass "secret"'),
  })
  await expect(store.once.consume('x', 1)).rejects.toThrow(/pass "secret"/)
  await store.close()
})

test('in production, sessions in memory bring one warning that says what to do', async () => {
  const warnings: Error[] = []
  const listen = (warning: Error): void => void warnings.push(warning)
  process.on('warning', listen)
  createSessionStore()
  vi.stubEnv('NODE_ENV', 'production')
  createSessionStore({ url: '' })
  await once(process, 'warning')
  process.off('warning', listen)

  expect(warnings).toMatchObject([{ code: 'LATCHKEY_SESSIONS_IN_MEMORY' }])
  expect(warnings[0]?.message).toMatch(/Give createSessionStore\(\) the "url" of a Redis/)
})

test('the store in memory answers the same questions', async () => {
  const store = createSessionStore()
  await store.ready()
  expect(store.health()).toEqual({ status: 'ok', reason: undefined })
  await store.close()
})
