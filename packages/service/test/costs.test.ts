import { setTimeout as delay } from 'node:timers/promises'
import { createIdentityService } from '@latchkey/service'
import { buildEndSessionUrl } from 'openid-client'
import { expect, test } from 'vitest'
import { type Cost, costOf, expectCost } from '../../../test/support/costs.ts'
import { countPostgres, countRedis, type Traffic } from '../../../test/support/counting-proxy.ts'
import { sharedPostgres } from '../../../test/support/postgres-server.ts'
import { startRedis } from '../../session-store/test/support/redis.ts'
import type { Application } from '../src/store/records.ts'
import type { Browser } from './issuer/support/browser.ts'
import { createClient, logIn } from './issuer/support/client.ts'
import type { Fetch } from './issuer/support/issuer.ts'
import { connectApi } from './support/api.ts'
import { PASSWORD } from './support/hashes.ts'
import { createDatabase, openPostgresDataStore } from './support/postgres.ts'

/** The statements of tasks in the background: the poll of the revision, the readers of the log and its newest entry, what is sent. */
const isOther = (sql: string): boolean =>
  /\b(from|into|update) "?(revision|cursors|mail|notices|webhooks|deliveries)\b/.test(sql) ||
  /pg_locks|from audit(\s+where|$)|advisory/.test(sql)

/** What remembers once a second how far the log has come is no part of a login. */
const isOfLog = (command: string): boolean => command.startsWith('eval local known')

async function startCounted() {
  const stack = new AsyncDisposableStack()
  const redis = stack.use(await startRedis())
  const database = stack.adopt(await createDatabase(), (one) => one.drop())
  const sql = stack.use(await countPostgres(await sharedPostgres(), isOther))
  const commands = stack.use(await countRedis(redis.port, isOfLog))
  const url = new URL(database.url)
  url.port = String(sql.port)
  const service = stack.adopt(
    await createIdentityService({
      database: url.href,
      redis: `redis://127.0.0.1:${commands.port}`,
      masterKey: Buffer.alloc(32, 7).toString('base64'),
      requestsPerSecond: 1_000_000,
    }),
    (one) => one.close(),
  )
  const tenant = await service.admin.createTenant({ domain: 'acme.example' })
  const { secret } = await service.admin.createApiKey({ name: 'tests', reach: [tenant.id] })
  const api = connectApi(service.fetch, secret, tenant.id)
  const measure = async (step: () => Promise<unknown>) => {
    let ofRedis: { cost: Cost; traffic: Traffic } | undefined
    const ofSql = await sql.count(async () => {
      ofRedis = await costOf(redis, commands, step)
    })
    const { cost, traffic } = ofRedis as { cost: Cost; traffic: Traffic }
    const statements = {
      'SQL statements': ofSql.commands.length,
      'SQL round trips': ofSql.roundTrips,
    }
    return { cost: { ...cost, ...statements }, traffic: [traffic, ofSql] }
  }
  return { url: url.href, service, api, measure, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

// A process that has not heard of the revision for a second, as on a busy machine, reads again what it has cached. What
// a login itself costs is the same at each try.
test('what the service sends to Redis and PostgreSQL for a login is as the table of measurements says', {
  retry: 2,
}, async () => {
  await using counted = await startCounted()
  const { service, api, measure } = counted
  const redirectUrls = ['https://app.example/callback']
  const loggedOut = 'https://app.example/'
  const { id } = await api.create(api.applications, {
    redirect_urls: redirectUrls,
    logout_urls: [loggedOut],
  })
  const { secret } = (await api.get(`${api.applications}/${id}`)).body
  const issuer = {
    url: 'https://acme.example',
    fetch: ((url, init) => service.fetch(String(url), init)) as Fetch,
    application: { id, redirectUrls } as unknown as Application,
    secretOf: () => secret,
  }
  const app = await createClient(issuer)
  const addUser = async (email: string) => {
    const user = await api.create(api.users, { profile: { email, email_verified: true } })
    const password = { alg: 'plain', hash: PASSWORD }
    await api.post(`${api.users}/${user.id}/credentials`, { password })
    return { email, password: PASSWORD }
  }
  const [ada, grace] = [await addUser('ada@example.com'), await addUser('grace@example.com')]
  const offline = { scope: 'openid email offline_access', prompt: 'consent' }
  const logInAs = async (user: typeof ada, parameters = {}) => {
    const { begun, callback, browser } = await logIn(issuer, app, user, undefined, parameters)
    return { tokens: await app.redeem(begun, callback), browser }
  }
  const again = async (browser: Browser) => {
    const begun = await app.begin()
    return app.redeem(begun, await browser.get(begun.url))
  }
  const logOut = (browser: Browser, idToken = '') => {
    const parameters = { id_token_hint: idToken, post_logout_redirect_uri: loggedOut }
    return browser.get(buildEndSessionUrl(app.config, parameters).href)
  }
  const refresh = async (token = '') => app.refresh(token)
  // The process hears within a second of what was just written, and drops its caches.
  await delay(1_500)
  // The first user fills the caches, and Redis learns the scripts.
  const first = await logInAs(ada)
  await again(first.browser)
  const kept = await logInAs(ada, offline)
  await refresh(kept.tokens.refresh_token)
  await logOut(first.browser, first.tokens.id_token)
  const expected = async <T>(operation: string, step: () => Promise<T>): Promise<T> => {
    let result: T | undefined
    const { cost, traffic } = await measure(async () => {
      result = await step()
    })
    expectCost(operation, cost, ...traffic)
    return result as T
  }
  const { tokens, browser } = await expected('service: login', () => logInAs(grace))
  await expected('service: login with a session', () => again(browser))
  const { tokens: refreshable } = await logInAs(grace, offline)
  await expected('service: refresh', () => refresh(refreshable.refresh_token))
  const left = await expected('service: logout', () => logOut(browser, tokens.id_token))
  expect(left.location).toBe(loggedOut)
})

test('looks for the newest entry of the log, as after a start, count as work in the background', async () => {
  await using counted = await startCounted()
  const store = openPostgresDataStore(counted.url)
  const { traffic } = await counted.measure(async () => {
    expect(await store.audit.newest()).toBeGreaterThan(0)
  })
  // The service beside it may read again what it has cached.
  expect(traffic[1]?.commands.filter((statement) => statement.includes('audit'))).toEqual([])
  await store.close()
})

test('what remembers how far the log has come counts as work in the background', async () => {
  await using counted = await startCounted()
  const { traffic } = await counted.measure(async () => {
    await counted.service.admin.createTenant({ domain: 'other.example' })
    await delay(1_500)
  })
  expect(traffic[0]?.commands.filter((command) => command.startsWith('eval '))).toEqual([])
})
