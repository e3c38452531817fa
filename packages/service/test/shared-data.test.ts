import { createIdentityService, type IdentityService } from '@latchkey/service'
import { fetchUserInfo } from 'openid-client'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { startRedis } from '../../session-store/test/support/redis.ts'
import type { IdentityServiceOptions } from '../src/service-options.ts'
import type { Application } from '../src/store/records.ts'
import { run } from './cli/support.ts'
import { startReceiver } from './cluster/notices-drill.ts'
import { createClient, logIn } from './issuer/support/client.ts'
import type { Fetch } from './issuer/support/issuer.ts'
import { connectApi } from './support/api.ts'
import { createDatabase } from './support/postgres.ts'

const database = await createDatabase()
const redis = await startRedis()
afterAll(async () => {
  await redis[Symbol.asyncDispose]()
  await database.drop()
})

const masterKey = Buffer.alloc(32, 7).toString('base64')

async function aService(more: IdentityServiceOptions = {}): Promise<IdentityService> {
  const service = await createIdentityService({
    database: database.url,
    redis: redis.url,
    masterKey,
    requestsPerSecond: 1_000_000,
    ...more,
  })
  onTestFinished(() => service.close())
  return service
}

/** Two services on the same data, with a tenant and an API key. */
async function aPair(more: IdentityServiceOptions = {}) {
  await database.empty()
  const [one, other] = await Promise.all([aService(more), aService(more)])
  const tenant = await one.admin.createTenant({ domain: 'acme.example' })
  const { secret } = await one.admin.createApiKey({ name: 'tests', reach: [tenant.id] })
  const api = (service: IdentityService) => connectApi(service.fetch, secret, tenant.id)
  return { one, other, tenant, api }
}

test('what one process has written, the other answers with at once', async () => {
  const { one, other, api } = await aPair()
  const user = await api(one).createUser()
  expect((await api(other).get(`${api(other).users}/${user.id}`)).body).toEqual(user)
  await api(other).delete(`${api(other).users}/${user.id}`)
  expect((await api(one).get(`${api(one).users}/${user.id}`)).status).toBe(404)
})

test('a tenant that one process moved to another domain is soon served there by the other', async () => {
  const { one, other, tenant, api } = await aPair()
  const discovery = (domain: string) =>
    other.fetch(`https://${domain}/.well-known/openid-configuration`)
  expect((await discovery('acme.example')).status).toBe(200)
  const { body } = await api(one).get(api(one).tenant)
  const moved = { ...body, settings: { ...body.settings, domain: 'moved.example' } }
  expect((await api(one).post(api(one).tenant, moved)).status).toBe(200)
  await vi.waitFor(async () => expect((await discovery('acme.example')).status).toBe(404))
  expect((await discovery('moved.example')).status).toBe(200)
  expect(tenant.id).toBe(body.id)
})

test('an API key that one process revoked is refused by the other within a second', async () => {
  const { one, other, api } = await aPair()
  expect((await api(other).get(api(other).tenant)).status).toBe(200)
  const [key] = await one.admin.listApiKeys()
  await one.admin.revokeApiKey(key?.id ?? '')
  expect((await api(one).get(api(one).tenant)).status).toBe(401)
  const refused = async () => expect((await api(other).get(api(other).tenant)).status).toBe(401)
  await vi.waitFor(refused)
})

test('processes that serve a tenant for the first time at once agree on its signing key', async () => {
  const { one, other } = await aPair()
  const moduli = async (service: IdentityService) => {
    const answer = await service.fetch('https://acme.example/oidc/jwks')
    const { keys } = (await answer.json()) as { keys: { n: string }[] }
    // A key is published once for each algorithm.
    return [...new Set(keys.map(({ n }) => n))]
  }
  const [first, second] = await Promise.all([moduli(one), moduli(other)])
  expect(first).toHaveLength(1)
  expect(second).toEqual(first)
})

test('the first requests of forty tenants at once are answered, and writes meanwhile', async () => {
  const { one, api } = await aPair()
  const domains = Array.from({ length: 40 }, (_, n) => `tenant-${n}.example`)
  for (const domain of domains) await one.admin.createTenant({ domain })

  const answers = await Promise.all(
    domains.flatMap((domain) => [
      one.fetch(`https://${domain}/oidc/jwks`),
      api(one).post(api(one).users, { profile: { email: `ada@${domain}` } }),
    ]),
  )

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})

test('the requests of an API key are limited for all processes together', async () => {
  const { one, other, api } = await aPair({ requestsPerSecond: 20 })
  const answers = await Promise.all(
    [one, other].flatMap((service) => {
      const { get, users } = api(service)
      return Array.from({ length: 20 }, () => get(users))
    }),
  )
  const refused = answers.filter(({ status }) => status === 429)
  // A new second may begin meanwhile.
  expect(answers.length - refused.length).toBeLessThanOrEqual(40)
  expect(refused.length).toBeGreaterThan(0)
})

test('processes whose clocks are two seconds apart carry one login', async () => {
  const now = () => Date.now()
  await database.empty()
  const [behind, right, ahead] = await Promise.all(
    [-2_000, 0, 2_000].map((apart) => aService({ clock: { now: () => now() + apart } })),
  )
  if (!behind || !right || !ahead) throw new Error('They did not start.')
  const tenant = await right.admin.createTenant({ domain: 'acme.example' })
  const { secret } = await right.admin.createApiKey({ name: 'tests', reach: [tenant.id] })
  const api = connectApi(right.fetch, secret, tenant.id)
  const redirectUrls = ['https://app.example/callback']
  const { id } = await api.create(api.applications, { redirect_urls: redirectUrls })
  const registered = (await api.get(`${api.applications}/${id}`)).body
  const ada = { email: 'ada@example.com', password: 'correct horse battery' }
  const user = await api.create(api.users, { profile: { email: ada.email, email_verified: true } })
  await api.post(`${api.users}/${user.id}/credentials`, {
    password: { alg: 'plain', hash: ada.password },
  })

  for (const order of [
    [ahead, behind],
    [behind, right, ahead],
  ]) {
    let turn = 0
    const fetch: Fetch = (url, init) => {
      const service = order[turn++ % order.length] as IdentityService
      return service.fetch(String(url), init)
    }
    const application = { id, redirectUrls } as unknown as Application
    const issuer = {
      url: 'https://acme.example',
      fetch,
      application,
      secretOf: () => registered.secret,
    }
    const app = await createClient(issuer)
    const { begun, callback } = await logIn(issuer, app, ada)
    const tokens = await app.redeem(begun, callback)
    expect(tokens.claims()?.sub).toBe(user.id)
    expect(await fetchUserInfo(app.config, tokens.access_token, user.id)).toMatchObject({
      sub: user.id,
    })
  }
})

test('while a process of release 0.2 ends sessions, the others wait, so that each notice of a logout is sent once', async () => {
  const told = new Map<string, number[]>()
  const receiver = await startReceiver(told)
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  const { one, api } = await aPair({ allowHttpOnLoopback: true })
  const { users, applications, create, post, get } = api(one)
  const redirectUrls = ['https://app.example/callback']
  const { id } = await create(applications, {
    redirect_urls: redirectUrls,
    metadata: { backchannel_logout_uri: receiver.url },
  })
  const { secret } = (await get(`${applications}/${id}`)).body
  const ada = { email: 'ada@example.com', password: 'correct horse battery' }
  const profile = { email: ada.email, email_verified: true }
  const user = await create(users, { profile })
  await post(`${users}/${user.id}/credentials`, { password: { alg: 'plain', hash: ada.password } })
  const application = { id, redirectUrls } as unknown as Application
  const fetch: Fetch = (url, init) => one.fetch(String(url), init)
  const issuer = { url: 'https://acme.example', fetch, application, secretOf: () => secret }
  await logIn(issuer, await createClient(issuer), ada)

  const earlier = new pg.Client({ connectionString: database.url })
  await earlier.connect()
  onTestFinished(() => earlier.end())
  await earlier.query("select pg_advisory_lock(hashtext('latchkey'), hashtext('void-sessions'))")
  expect((await post(`${users}/${user.id}`, { profile, disabled: true })).status).toBe(200)
  // The other process polls once a second.
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(told.size).toBe(0)
  await earlier.query('select pg_advisory_unlock_all()')
  await vi.waitFor(() => expect(told.get(user.id)).toHaveLength(1))
})

test('while Redis is gone, the API goes on, and pages say that it is not their fault', async () => {
  const own = await startRedis()
  onTestFinished(() => own[Symbol.asyncDispose]())
  const { one, api } = await aPair({ redis: own.url })
  const callback = 'https://app.example/callback'
  const { id } = await api(one).create(api(one).applications, { redirect_urls: [callback] })
  const question = new URLSearchParams({
    client_id: id,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  const logIn = async () => {
    const path = `https://acme.example/oidc/auth?${question}`
    const { status, headers } = await one.fetch(path, { redirect: 'manual' })
    // Programs and balancers wait for as long as a 503 says.
    expect(headers.has('retry-after')).toBe(status === 503)
    return status
  }
  expect(await logIn()).toBe(303)
  await own.kill()
  expect((await api(one).get(api(one).users)).status).toBe(200)
  expect(await logIn()).toBe(503)
  await own.restart()
  await vi.waitFor(async () => expect(await logIn()).toBe(303))
})

test('sessions at a tenant that has no signing key yet are ended, and its key is made', async () => {
  const errors: string[] = []
  const logger = pino({ level: 'error' }, { write: (line) => void errors.push(line) })
  const { one, api } = await aPair({ logger })
  const user = await api(one).createUser()
  await api(one).post(`${api(one).users}/${user.id}`, { ...user, disabled: true })
  await vi.waitFor(async () =>
    expect(await database.query('select 1 from signing_keys')).not.toHaveLength(0),
  )
  expect(errors).toEqual([])
})

test('a service is ready only while PostgreSQL accepts writes', async () => {
  const { one } = await aPair()
  const ready = async () => (await one.fetch('https://api.example/x/ready')).status
  expect(await ready()).toBe(200)
  await database.query('alter table revision rename to gone')
  onTestFinished(async () => {
    await database.query('alter table if exists gone rename to revision')
  })
  await vi.waitFor(async () => expect(await ready()).not.toBe(200))
  await database.query('alter table gone rename to revision')
  await vi.waitFor(async () => expect(await ready()).toBe(200))
})

test('options that do not go together are refused, each with what is missing', async () => {
  const together = (options: IdentityServiceOptions) => createIdentityService(options)
  const url = database.url
  await expect(together({ database: url, masterKey })).rejects.toThrow('needs "redis"')
  await expect(together({ redis: redis.url, masterKey })).rejects.toThrow('needs "database"')
  await expect(together({ database: url, redis: redis.url })).rejects.toThrow('needs "masterKey"')
  await expect(together({ database: url, redis: redis.url, masterKey, data: 'x' })).rejects.toThrow(
    'exclude each other',
  )
  await expect(together({ database: { url, migrte: true } as never })).rejects.toThrow(
    'database.migrate',
  )
})

test('outdated tables are not changed without permission, and the command updates them', async () => {
  const empty = await createDatabase({ migrate: false })
  onTestFinished(() => empty.drop())
  const options = { redis: redis.url, masterKey }
  await expect(
    createIdentityService({ ...options, database: { url: empty.url, migrate: false } }),
  ).rejects.toThrow('Run: latchkey-service migrate')
  const env = { LATCHKEY_DATABASE: empty.url, LATCHKEY_MASTER_KEY: masterKey }
  expect(await run(['migrate'], env)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Done: 0001/),
  })
  expect((await run(['tenant', 'create', '--domain', 'a.example'], env)).code).toBe(0)
  expect(await empty.query('select domain from tenants')).toEqual([{ domain: 'a.example' }])
  expect((await run(['tenant', 'list'])).code).toBe(2)
})
