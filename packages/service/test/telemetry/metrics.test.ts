import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { startRedis } from '../../../session-store/test/support/redis.ts'
import { createPasswordEngine } from '../../src/domain/users/password-engine.ts'
import { counters, histograms } from '../../src/telemetry/metrics.ts'
import { createMetrics } from '../../src/telemetry/registry.ts'
import { serve, temporaryFolder } from '../cli/support.ts'
import { askForReset } from '../issuer/support/browser.ts'
import { logIn } from '../issuer/support/client.ts'
import { createDatabase } from '../support/postgres.ts'
import { ada, metricOf, origin, serveMetrics, startService } from './support.ts'

const database = await createDatabase()
afterAll(() => database.drop())

test('logins are counted by outcome and method, and requests by route', async () => {
  const { service, issuer, app } = await startService()
  const { read } = await serveMetrics(service)
  const { callback } = await logIn(issuer, app, ada)
  expect(callback.location).toMatch(/[?&]code=/)
  await logIn(issuer, app, { ...ada, password: 'wrong' })
  await logIn(issuer, app, { email: 'nobody@example.com', password: 'wrong' })

  const text = await read()
  const logins = (outcome: string) =>
    metricOf(text, 'latchkey_logins_total', { outcome, method: 'password' })
  expect(logins('succeeded')).toBe(1)
  expect(logins('wrong_password')).toBe(1)
  expect(logins('unknown_user')).toBe(1)
  const requests = (labels: Record<string, string>) =>
    metricOf(text, 'latchkey_http_request_duration_seconds_count', labels)
  expect(requests({ method: 'GET', route: '/oidc/auth', status: '303' })).toBe(3)
  expect(requests({ method: 'POST', route: '/login/:handle', status: '422' })).toBe(2)
  expect(requests({ method: 'GET', route: '/oidc/auth/:uid', status: '303' })).toBe(1)
  expect(metricOf(text, 'latchkey_password_wait_seconds_count', { priority: 'login' })).toBe(3)
  expect(
    metricOf(text, 'latchkey_password_hash_seconds_sum', { priority: 'login' }),
  ).toBeGreaterThan(0.01)
  expect(
    metricOf(text, 'latchkey_cache_lookups_total', { cache: 'sites', result: 'hit' }),
  ).toBeGreaterThan(1)
})

test('no label names a tenant, a user, an address or a secret, whatever is asked for', async () => {
  const { service, api, apiKey, tenant, user, issuer, app, secret, id } = await startService()
  const { read } = await serveMetrics(service)
  const { begun, callback } = await logIn(issuer, app, ada)
  const tokens = await app.redeem(begun, callback)
  await api.get(`${api.users}/${user.id}`)
  const marker = 'q7Zk2Lw9'
  const strange = [
    `/login/${marker}`,
    `/login/${marker}/${marker}`,
    `/oidc/${marker}`,
    `/oidc/auth/${marker}`,
    `/account/${marker}`,
    `/reset?token=${marker}`,
    `/v1/${marker}`,
    `/v1/tenants/${marker}/users`,
    `/x/${marker}`,
    `/${marker}.js`,
  ]
  for (const path of strange) await service.fetch(`${origin}${path}`)
  await service.fetch(`${origin}/login`, { method: 'PROPFIND' })
  await service.fetch(`https://${marker}.example/`)

  const text = await read()
  const code = new URL(callback.location ?? '').searchParams.get('code') ?? 'none'
  const secrets = [marker, apiKey, secret, id, tenant.id, user.id, code, tokens.access_token]
  for (const found of [...secrets, ada.email, ada.password, 'acme.example', '127.0.0.1']) {
    expect(text).not.toContain(found)
  }
  const routes = new Set([...text.matchAll(/route="([^"]*)"/g)].map(([, route]) => route))
  expect(routes).toContain('/v1/tenants/:tenant_id/users/:user_id')
  expect(routes).toContain('/login/:handle')
  expect(routes).toContain('other')
  expect(text).toContain('method="other"')
})

test('metrics are in the format OpenMetrics, at a port of their own on loopback', async () => {
  const { service } = await startService()
  const { address, url } = await serveMetrics(service)
  expect(address).toBe('127.0.0.1')
  const answer = await fetch(url)
  expect(answer.headers.get('content-type')).toBe(
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  )
  const text = await answer.text()
  expect(text).toMatch(/# EOF\n$/)
  for (const { name, help } of [...Object.values(counters), ...Object.values(histograms)]) {
    expect(text).toContain(`# HELP ${name.replace(/_total$/, '')} ${help}`)
  }
  expect(metricOf(text, 'latchkey_build_info')).toBe(1)
  await vi.waitFor(
    async () => {
      const lag = metricOf(await (await fetch(url)).text(), 'latchkey_reader_lag_seconds')
      expect(lag).toBe(0)
    },
    { interval: 100 },
  )
  expect((await fetch(url, { method: 'POST' })).status).toBe(405)
  expect((await fetch(new URL('/', url))).status).toBe(404)
  expect((await service.fetch(`${origin}/x/metrics`)).status).toBe(404)
})

test('a client that accepts plain text alone gets the format of Prometheus, with the same names', async () => {
  const { service } = await startService()
  const { url } = await serveMetrics(service)
  const asked = async (accept: string) => {
    const response = await fetch(url, { headers: { accept } })
    return { type: response.headers.get('content-type'), text: await response.text() }
  }
  const prometheus =
    'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2'
  const [open, plain] = [await asked(prometheus), await asked('text/plain;version=0.0.4')]
  expect(open.type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
  expect(open.text).toContain('# TYPE latchkey_logins counter\n')
  expect(plain.type).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(plain.text).toContain('# TYPE latchkey_logins_total counter\n')
  expect(plain.text).not.toContain('# EOF')
  const families = (text: string) =>
    [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name?.replace(/_total$/, ''))
  expect(families(plain.text)).toEqual(families(open.text))
})

test('mail that waits is counted, with the age of the oldest', async () => {
  let ahead = 0
  const { service, issuer } = await startService({
    clock: { now: () => Date.now() + ahead },
    mail: { url: 'smtp://127.0.0.1:1', from: 'login@acme.example' },
  })
  const { read } = await serveMetrics(service)
  const waiting = async () => metricOf(await read(), 'latchkey_queue_waiting', { queue: 'mail' })
  expect(await waiting()).toBe(0)
  await askForReset(issuer, ada.email)
  await vi.waitFor(async () => expect(await waiting()).toBe(1))
  await vi.waitFor(async () =>
    expect(metricOf(await read(), 'latchkey_mails_total', { outcome: 'failed' })).toBe(1),
  )
  ahead = 90_000
  await vi.waitFor(async () => {
    const age = metricOf(await read(), 'latchkey_queue_oldest_age_seconds', { queue: 'mail' })
    expect(age).toBeGreaterThan(89)
    expect(age).toBeLessThan(100)
  })
})

test('passwords that wait for their hash are a gauge, and those refused are counted', async () => {
  const passwords = createPasswordEngine({ concurrency: 1, maxWaiting: 2 })
  const metrics = createMetrics([])
  onTestFinished(metrics.close)
  const all = [1, 2, 3, 4].map((n) => passwords.verify(`${n}`, passwords.dummyHash, 'ten_1'))
  expect(passwords.load).toEqual({ running: 1, waiting: 2 })
  const outcomes = await Promise.allSettled(all)
  expect(outcomes.map(({ status }) => status).sort()).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
  ])
  const { text } = await metrics.text()
  expect(metricOf(text, 'latchkey_limits_refused_total', { limit: 'passwordQueue' })).toBe(1)
  expect(metricOf(text, 'latchkey_password_wait_seconds_count', { priority: 'login' })).toBe(3)
})

test('a gauge that cannot be read is left out, and the others are there', async () => {
  const gauge = (name: string, read: () => Promise<{ labels: object; value: number }[]>) => ({
    ...{ name, help: 'A gauge.', labels: ['of'] },
    read: read as never,
  })
  const metrics = createMetrics([
    gauge('broken', () => Promise.reject(new Error('gone'))),
    gauge('right', async () => [{ labels: { of: 'a' }, value: 7 }]),
  ])
  onTestFinished(metrics.close)
  const { text } = await metrics.text()
  expect(metricOf(text, 'broken')).toBeUndefined()
  expect(metricOf(text, 'right', { of: 'a' })).toBe(7)
})

test('on PostgreSQL and Redis: pool waits, readers of the log, and failures of Redis', async () => {
  const redis = await startRedis()
  const { service, issuer, app } = await startService({
    database: database.url,
    redis: redis.url,
    masterKey: Buffer.alloc(32, 7).toString('base64'),
  })
  const { read } = await serveMetrics(service)
  await logIn(issuer, app, ada)
  const text = await read()
  expect(
    metricOf(text, 'latchkey_postgres_pool_wait_seconds_count', { pool: 'writers' }),
  ).toBeGreaterThan(0)
  await vi.waitFor(async () => {
    const lag = metricOf(await read(), 'latchkey_reader_lag_seconds', { reader: 'void-sessions' })
    expect(lag).toBe(0)
  })
  expect(metricOf(text, 'latchkey_store_errors_total', { store: 'redis' })).toBeUndefined()
  await redis[Symbol.asyncDispose]()
  await logIn(issuer, app, ada).catch(() => {})
  expect(metricOf(await read(), 'latchkey_store_errors_total', { store: 'redis' })).toBeGreaterThan(
    0,
  )
})

test('"serve" has metrics where a port is named, and none otherwise', async () => {
  using folder = temporaryFolder()
  const silent = await serve(['--data', folder.path])
  expect(silent.log()).not.toContain('metrics')
  await silent.stop()
  const served = await serve(['--data', folder.path], { LATCHKEY_METRICS_PORT: '0' })
  onTestFinished(async () => void (await served.stop()))
  const line =
    served
      .log()
      .split('\n')
      .find((one) => one.includes('serving metrics')) ?? '{}'
  const { address, port } = JSON.parse(line)
  const text = await (await fetch(`http://${address}:${port}/x/metrics`)).text()
  expect(metricOf(text, 'latchkey_password_queue_length')).toBe(0)
})
