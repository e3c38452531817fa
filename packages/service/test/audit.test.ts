import { userInfo } from 'node:os'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { listAudit, pruneAudit, trimRefusals } from '../src/domain/writes/audit.ts'
import { run, serve, temporaryFolder } from './cli/support.ts'
import { createBrowser } from './issuer/support/browser.ts'
import { createClient, logIn } from './issuer/support/client.ts'
import { applicationUrl, startIssuer, storeKinds } from './issuer/support/issuer.ts'
import { ada, moveTime } from './issuer/support/token-endpoint.ts'
import { startApi, stores } from './support/api.ts'
import { openApi } from './support/context.ts'

const proxied = { 'x-forwarded-for': '203.0.113.7', 'user-agent': 'Browser/1.0' }

describe.each(storeKinds)('the audit log on %s', (store) => {
  test('has the address, browser, application and outcome of logins, resets, sign-ups and logouts', async () => {
    await using issuer = await startIssuer({ store, trustedProxies: ['127.0.0.1'] })
    const user = await issuer.addUser(ada)
    const app = await createClient(issuer)
    const fetch = (url: string | URL, init?: RequestInit) =>
      issuer.fetch(url, { ...init, headers: { ...init?.headers, ...proxied } })
    const browser = createBrowser({ url: issuer.url, fetch })

    const wrong = await logIn(issuer, app, { ...ada, password: 'wrong' }, browser)
    const loggedIn = await browser.submit(wrong.callback, ada)
    const tokens = await app.redeem(wrong.begun, loggedIn)
    const logout = new URLSearchParams({
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: `${applicationUrl}/logged-out`,
    })
    await browser.get(`${issuer.url}/oidc/logout?${logout}`)
    const form = await browser.get((await app.begin()).url)
    const signup = /href="([^"]*\/signup[^"]*)"/.exec(form.html)?.[1]?.replaceAll('&amp;', '&')
    const bob = { name: 'Bob', email: 'bob@example.com', password: 'correct horse battery' }
    await browser.submit(await browser.get(signup ?? ''), bob)
    await browser.submit(await browser.get('/reset'), { email: ada.email })
    await browser.submit(await browser.get('/reset'), { email: 'nobody@example.com' })

    const entries = (await issuer.audit()).filter(({ address }) => address !== undefined).reverse()
    const client = {
      address: '203.0.113.7',
      userAgent: 'Browser/1.0',
      applicationId: issuer.application.id,
    }
    expect(entries).toMatchObject([
      { ...client, action: 'login.wrong_password', outcome: 'failure', target: user.id },
      { ...client, action: 'login.succeeded', outcome: 'success', actor: `user:${user.id}` },
      { ...client, action: 'logout.succeeded', outcome: 'success', actor: `user:${user.id}` },
      { ...client, action: 'signup.requested', outcome: 'success', actor: 'visitor' },
      { ...client, action: 'reset.requested', target: user.id },
      { ...client, action: 'reset.requested', target: 'unknown' },
    ])
    expect(JSON.stringify(entries)).not.toMatch(/@example\.com|horse/)
  })

  test('has the logout that a user confirms, and the one of a user whom another replaces', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    const bob = { email: 'bob@example.com', password: 'another horse battery' }
    await issuer.addUser(bob)
    const app = await createClient(issuer)
    const { browser } = await logIn(issuer, app, ada)
    await browser.submit(await browser.get(`${issuer.url}/oidc/logout`), { logout: 'yes' })
    await logIn(issuer, app, ada, browser)
    await logIn(issuer, app, bob, browser, { prompt: 'login' })

    const logouts = (await issuer.audit()).filter(({ action }) => action === 'logout.succeeded')
    expect(logouts).toMatchObject([
      { actor: `user:${user.id}`, target: user.id },
      { actor: `user:${user.id}`, target: user.id },
    ])
  })
})

describe.each(stores)('on %s', (store) => {
  test('a request without a good key is in the audit log, with the key that was revoked', async () => {
    await using api = await startApi(store, { trustedProxies: ['127.0.0.1'] })
    const { admin } = api.service
    const { key, secret } = await admin.createApiKey({ name: 'old', reach: 'all' })
    await admin.revokeApiKey(key.id)
    const { port } = await api.service.listen()
    const get = (authorization: string) =>
      fetch(`http://127.0.0.1:${port}/v1/tenants`, { headers: { ...proxied, authorization } })
    await get(`Bearer ${secret}`)
    await get('Bearer unknown')

    const client = { address: '203.0.113.7', userAgent: 'Browser/1.0', outcome: 'refused' }
    const refused = async () =>
      (await admin.audit()).filter(({ action }) => action === 'authentication_failure')
    await expect.poll(refused).toMatchObject([
      { ...client, actor: 'visitor', target: '/v1/tenants' },
      { ...client, actor: `key:${key.id}`, target: '/v1/tenants' },
    ])
    expect(JSON.stringify(await admin.audit())).not.toContain(secret)
  })

  test('a flood of requests without a key adds a few entries to the audit log', async () => {
    await using api = await startApi(store)
    const { port } = await api.service.listen()
    const all = Array.from({ length: 100 }, () => fetch(`http://127.0.0.1:${port}/v1/tenants`))
    await Promise.all(all)
    const entries = await api.service.admin.audit({ limit: 1_000 })
    const refused = entries.filter(({ action }) => action === 'authentication_failure')
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThanOrEqual(20)
  })

  test('refused writes stay for 7 days, and the newest 1,000 of a key', async () => {
    onTestFinished(() => void vi.useRealTimers())
    await using api = await openApi(store)
    const { context } = api
    for (let i = 0; i < 11; i++) {
      await Promise.all(Array.from({ length: 100 }, () => api.post(api.users, {})))
    }
    const refused = async () =>
      (await listAudit(context, { limit: 10_000 })).filter(({ outcome }) => outcome === 'refused')
    await expect.poll(async () => (await refused()).length).toBe(1_100)
    await trimRefusals(context)
    expect(await refused()).toHaveLength(1_000)

    moveTime(6 * 86_400)
    await pruneAudit(context, 400)
    expect(await refused()).toHaveLength(1_000)
    moveTime(2 * 86_400)
    await pruneAudit(context, 400)
    expect(await refused()).toHaveLength(0)
    expect((await listAudit(context, {})).map(({ action }) => action)).toContain('tenant.create')
  })
})

test('the commands of the operator name who ran them', async () => {
  using folder = temporaryFolder()
  const data = ['--data', folder.path]
  await run(['tenant', 'create', ...data, '--domain', 'login.example.com'])
  await run(['key', 'create', ...data, '--name', 'ci', '--all-tenants'], { SUDO_USER: 'grace' })
  const { stdout } = await run(['audit', ...data, '--json'])
  expect(JSON.parse(stdout)).toMatchObject([
    { action: 'api_key.create', actor: 'admin:grace' },
    { action: 'tenant.create', actor: `admin:${userInfo().username}` },
  ])
})

test('audit export prints every entry as a JSON line, goes on after the last one, and is noted', async () => {
  using folder = temporaryFolder()
  const data = ['--data', folder.path]
  const tenant = await run(['tenant', 'create', ...data, '--domain', 'a.example.com'])
  const server = await serve(data)
  await fetch(`${server.url}/v1/tenants`, { headers: { 'user-agent': 'Evil\u00ad\u0085' } })
  await server.stop()
  const id = tenant.stdout.trim()
  const [all, rest, own] = await Array.fromAsync(
    [[], ['--after', '1'], ['--tenant', id]],
    async (options) => (await run(['audit', 'export', ...data, ...options])).stdout,
  )
  const created = {
    id: 1,
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    actor: `admin:${userInfo().username}`,
    action: 'tenant.create',
    target: id,
    outcome: 'success',
    tenant_id: id,
  }
  const refused = {
    id: 2,
    at: expect.any(String),
    actor: 'visitor',
    action: 'authentication_failure',
    target: '/v1/tenants',
    outcome: 'refused',
    request_id: expect.any(String),
    address: '127.0.0.1',
    user_agent: 'Evil\u00ad\u0085',
  }
  const allOf = (text = '') =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  const entries = (text = '') => allOf(text).filter(({ action }) => !/^audit\.export/.test(action))
  const by = { actor: `admin:${userInfo().username}`, outcome: 'success' }
  expect(allOf(all).at(-1)).toMatchObject({ ...by, action: 'audit.export', fields: ['after'] })
  expect(allOf(own).at(-1)).toMatchObject({ ...by, action: 'audit.export', tenant_id: id })
  const { stdout } = await run(['audit', ...data, '--json'])
  const noted = JSON.parse(stdout).filter(
    ({ action }: { action: string }) => action === 'audit.exported',
  )
  expect(noted).toHaveLength(3)
  expect(entries(all)).toEqual([created, refused])
  expect(entries(rest)).toEqual([refused])
  expect(entries(own)).toEqual([created])
  expect(all).not.toMatch(/[\u0080-\u009f\u00ad]/)
})
