import type { SessionRecord } from '@latchkey/core'
import { requireUser } from '@latchkey/express'
import { createSessionStore, type RedisSessionStore } from '@latchkey/session-store'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../../express/test/support/browser.ts'
import { startSite } from '../../express/test/support/site.ts'
import { packRecord, unpackRecord } from '../src/compact-record.ts'
import { startRedis, type TestRedis } from './support/redis.ts'

const SECRET = 'a secret of tests, of 32 characters or more'

let redis: TestRedis
const stores: RedisSessionStore[] = []
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(async () => {
  for (const store of stores) await store.close()
  await redis[Symbol.asyncDispose]()
})

function open(compactRecords: boolean, secret?: string): RedisSessionStore {
  const store = createSessionStore({ url: redis.url, compactRecords, ...(secret && { secret }) })
  stores.push(store)
  return store
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claims = {
  ...{ iss: 'https://login.example.com', aud: 'shop', sub: 'ada', sid: 'a-session', acr: '2' },
  ...{ auth_time: 1_800_000_000, amr: ['pwd', 'otp'], name: 'Ada', email: 'ada@example.com' },
}
const idToken = `${encoded({ alg: 'RS256' })}.${encoded(claims)}.${'c2lnbmF0dXJl'.repeat(20)}`
const login = {
  issuer: claims.iss,
  registeredIssuer: `${claims.iss}/`,
  clientId: 'shop',
  sub: 'ada',
  sid: 'a-session',
  user: { sub: 'ada', name: 'Ada', email: 'ada@example.com', roles: ['admin'] },
  providerClaims: ['sub', 'name', 'email'],
  userinfoClaims: ['sub', 'email'],
  createdAt: 1_800_000_100,
  expiresAt: 4_000_000_000,
  authTime: 1_800_000_000,
  acr: '2',
  amr: ['pwd', 'otp'],
  device: 'Firefox on macOS',
  idToken,
  tokens: { accessToken: 'an access token', accessTokenExpiresAt: 1_800_003_700, scope: 'openid' },
} satisfies SessionRecord['login']

const roundTrip = (record: SessionRecord) => unpackRecord(packRecord({ id: 'id', record }))
/** The members of a record as JSON keeps them, which is what the earlier form of a record is. */
const asJson = (record: SessionRecord) => JSON.parse(JSON.stringify({ id: 'id', record }))

test('a record is unpacked as it was packed, whatever its ID token repeats or contradicts', () => {
  const values = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.jsonValue())
  const strings = ['issuer', 'registeredIssuer', 'clientId', 'sub'] as const
  const required = Object.fromEntries(
    strings.map((name) => [name, fc.oneof(fc.constant(login[name]), fc.string())]),
  )
  const optional = (value: unknown) =>
    fc.oneof(fc.constant(undefined), fc.constant(value), fc.string())
  const someToken = fc.oneof(
    fc.constant(undefined),
    fc.constant(idToken),
    fc.string(),
    fc.constant('not.a.jwt'),
    fc.constant(`${idToken}=`),
    fc.constant(`e30.${encoded([1])}.e30`),
    fc
      .dictionary(fc.constantFrom(...Object.keys(claims), 'i', '__proto__', 'constructor'), values)
      .map((some) => `e30.${encoded(some)}.e30`),
  )
  const logins = fc.record({
    ...required,
    sid: optional('a-session'),
    authTime: fc.oneof(fc.constant(undefined), fc.constant(1_800_000_000), fc.integer()),
    acr: optional('2'),
    amr: fc.oneof(fc.constant(undefined), fc.constant(['pwd', 'otp']), fc.array(fc.string())),
    device: optional('Firefox'),
    user: fc.oneof(
      fc.constant(login.user),
      fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('toString', 'iss')), values),
    ),
    providerClaims: fc.oneof(fc.constant(undefined), fc.array(fc.string())),
    userinfoClaims: fc.oneof(fc.constant(undefined), fc.array(fc.string())),
    createdAt: fc.integer(),
    expiresAt: fc.integer(),
    idToken: someToken,
    tokens: fc.oneof(fc.constant(undefined), fc.constant(login.tokens)),
    // A hook of the application may add members of its own.
    i: fc.oneof(fc.constant(undefined), fc.string()),
  })
  fc.assert(
    fc.property(
      fc.oneof(fc.constant(undefined), fc.constant(login), logins),
      fc.dictionary(fc.string(), values),
      (some, data) => {
        const record = { ...(some && { login: some }), data, expiresAt: 4_000_000_000 }
        const packed = record as SessionRecord
        expect(asJson(roundTrip(packed).record)).toEqual(asJson(packed))
      },
    ),
    { numRuns: 500 },
  )
})

test('stores with compact records and without read, replace and find each other’s sessions', async () => {
  const [old, compact] = [open(false, SECRET), open(true, SECRET)]
  const record = { login, data: { cart: 1 }, expiresAt: 4_000_000_000 }
  for (const [writer, reader] of [
    [old, compact],
    [compact, old],
  ] as const) {
    const id = writer === old ? 'of-old' : 'of-compact'
    await writer.index.begin?.(id, record, { keys: [id], seconds: 600 }, [])
    const seen = (await reader.get(id)) as SessionRecord
    expect({ ...seen, version: undefined }).toEqual({ ...record, version: undefined })
    expect(await reader.index.find(id)).toEqual([id])
    const changed = { ...record, data: { cart: 2 } }
    expect(await reader.update(id, changed, seen)).toBe('updated')
    expect(await writer.update(id, record, seen)).toBe('changed')
    expect((await writer.get(id))?.data).toEqual({ cart: 2 })
  }
})

test('a login without a refresh token takes at most 1,000 bytes of Redis with compact records', async () => {
  await redis.inspect((client) => client.flushall())
  const store = open(true)
  await using site = await startSite(
    (app) => {
      app.get('/', requireUser(), (req, res) => void res.send(`Hello ${req.auth.user?.name}`))
    },
    { session: { store }, scope: 'openid profile email' },
  )
  site.provider.user = { sub: 'ada', name: 'Ada Lovelace', email: 'ada@example.com', roles: ['a'] }
  expect((await createBrowser().open(`${site.url}/`)).text).toBe('Hello Ada Lovelace')

  const sizes = await redis.inspect(async (client) => {
    const keys = (await client.keys('latchkey:s:*')) as string[]
    return Promise.all(keys.map((key) => client.memory('USAGE', key, 'SAMPLES', 0)))
  })
  expect(Math.max(...sizes.map(Number))).toBeLessThanOrEqual(1_000)
})
