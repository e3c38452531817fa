import type { IdentityServiceOptions } from '@latchkey/service'
import { afterEach, expect, test, vi } from 'vitest'
import { atFileEnd } from '../../../../test/support/file-end.ts'
import { routes } from '../../src/http/app.ts'
import { neededFor } from '../../src/http/operator-permissions.ts'
import { SYSTEM_TENANT_ID } from '../../src/store/system-tenant.ts'
import type { Page } from '../issuer/support/browser.ts'
import { DEVICE_GRANT } from '../issuer/support/devices.ts'
import { moveTime } from '../issuer/support/token-endpoint.ts'
import { connectApi } from '../support/api.ts'
import { endSharedClusters, sharedCluster, withoutProcesses } from '../support/cluster.ts'
import { expectError } from '../support/errors.ts'
import {
  CONSOLE,
  type ConsoleService,
  type OperatorBrowser,
  on,
  sendForm,
  startConsole,
  textOf,
} from './support.ts'

// Logins of operators on a command line (RFC 8628), as `latchkey login` does them.

atFileEnd(endSharedClusters)

afterEach(() => {
  vi.useRealTimers()
})

const CLIENT = 'latchkey-command'

async function post(running: ConsoleService, path: string, fields: Record<string, string>) {
  const answer = await running.service.fetch(CONSOLE + path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: CLIENT, ...fields }).toString(),
  })
  const text = await answer.text()
  return { status: answer.status, body: (text ? JSON.parse(text) : {}) as Record<string, string> }
}

const begin = async (running: ConsoleService, more: Record<string, string> = {}) =>
  (await post(running, '/oidc/device', { scope: 'openid', ...more })).body

/** Enters the code of a device in the browser of an operator. */
async function enter(browser: OperatorBrowser, code = ''): Promise<Page> {
  return browser.submit(await browser.get('/device'), { user_code: code })
}

const redeem = (running: ConsoleService, code = '') =>
  post(running, '/oidc/token', { grant_type: DEVICE_GRANT, device_code: code })

/** Logs an operator in on a command line. */
async function logInCommand(running: ConsoleService, browser: OperatorBrowser) {
  const begun = await begin(running)
  await browser.submit(await enter(browser, begun.user_code), { answer: 'allow' })
  const { body } = await redeem(running, begun.device_code)
  if (!body.access_token) throw new Error(JSON.stringify(body))
  return { token: body.access_token, expiresIn: Number(body.expires_in) }
}

/** The options of a service with its data in PostgreSQL and Redis. */
async function onShared(): Promise<IdentityServiceOptions> {
  const { database, options } = await sharedCluster(withoutProcesses)
  await database.empty()
  const { database: url, redis, masterKey } = options
  return { database: url, redis, masterKey }
}

/** A service with a tenant, which a key of its own can be compared to. */
async function start(options: IdentityServiceOptions = {}) {
  const running = await startConsole(options)
  const { admin, fetch } = running.service
  const tenant = await admin.createTenant({ domain: 'acme.example' })
  const as = (token: string) => connectApi(fetch, token, tenant.id)
  const isIn = async (token: string) => (await as(token).get('/v1/tenants')).status
  return Object.assign(running, { tenant, as, isIn })
}

test('an operator logs in on a command line: the page names it and warns, and the audit log says who acted', async () => {
  await using running = await start()
  const { as, tenant, service } = running
  const owner = await running.logIn({ role: 'owner' })
  const login = await service.fetch(`${CONSOLE}/x/v1/login`)
  expect(await login.json()).toEqual({ type: 'Login', issuer: CONSOLE, client_id: CLIENT })

  const begun = await begin(running)
  const page = await enter(owner, begun.user_code)
  const text = textOf(page.html)
  expect(text).toContain('latchkey')
  expect(text).toContain(begun.user_code)
  expect(text).toContain('as far as your role may')
  expect(text).toMatch(/Did|not|someone/)
  await owner.submit(page, { answer: 'allow' })
  const { body } = await redeem(running, begun.device_code)
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 8 * 3_600 })
  expect(body.refresh_token).toBeUndefined()

  const api = as(body.access_token ?? '')
  expect((await api.get('/v1/tenants')).body.data).toMatchObject([{ id: tenant.id }])
  const user = await api.create(api.users, { profile: { email: 'ada@example.com' } })
  const [entry] = await service.admin.audit({ action: 'user.create' } as never)
  expect(entry).toMatchObject({ actor: `operator:${owner.id}`, target: user.id })
  const audit = (await api.get(`/x${api.tenant}/audit?action=user.create`)).body.data
  expect(audit).toMatchObject([{ actor: `operator:${owner.id}`, application_id: CLIENT }])
  expect((await api.get(`/v1/tenants/${SYSTEM_TENANT_ID}`)).status).toBe(404)

  const application = await api.create(api.applications, { name: 'Shop' })
  const path = `${api.applications}/${application.id}`
  const { secret } = await service.admin.createApiKey({ name: 'key', reach: [tenant.id] })
  expect((await as(secret).get(path)).body.secret).toBeTruthy()
  for (const one of [path, api.applications]) {
    expect(JSON.stringify((await api.get(one)).body)).not.toContain('secret')
  }
  expectError(await api.get(`${api.users}/${user.id}/credentials`), 403, 'not_permitted')
  expectError(await api.post(`${api.users}/${user.id}`, user), 403, 'not_permitted')
})

test('an operator may do on a command line what the role may, as it is now, and no more', async () => {
  await using running = await start()
  const { as, tenant, service } = running
  const other = await service.admin.createTenant({ domain: 'other.example' })
  const admin = await running.logIn({ role: 'admin', reach: [tenant.id] })
  const viewer = await running.logIn({ role: 'viewer' })
  const support = await running.logIn({ role: 'support' })
  const api = as((await logInCommand(running, admin)).token)
  const viewing = as((await logInCommand(running, viewer)).token)
  const helping = as((await logInCommand(running, support)).token)
  const profile = { email: 'ada@example.com' }
  const user = await api.create(api.users, { profile })
  const sessions = `/x${api.users}/${user.id}/sessions`

  expectError(await api.get(`/v1/tenants/${other.id}`), 404, 'not_found')
  const refused = await viewing.post(api.users, { profile })
  expectError(refused, 403, 'not_permitted')
  expect(refused.headers.get('latchkey-error-detail')).toBe(
    'Your role is viewer. The roles that may do this: admin, owner.',
  )
  expectError(await viewing.delete(sessions), 403, 'not_permitted')
  expect((await helping.delete(sessions)).status).toBe(200)
  const audit = `/x${api.tenant}/audit`
  const asFile = { accept: 'application/x-ndjson' }
  expectError(await helping.get(audit, asFile), 403, 'not_permitted')
  expect((await helping.get(audit)).status).toBe(200)
  const { body: full } = await api.get(api.tenant)
  // As in the console, these are for owners.
  for (const rule of [{ latchkey_impersonation: 'allowed' }, { latchkey_four_eyes: 'false' }]) {
    expectError(await api.post(api.tenant, { ...full, metadata: rule }), 403, 'not_permitted')
  }
  expect((await service.admin.audit({ tenantId: tenant.id } as never))[0]).toMatchObject({
    ...{ actor: `operator:${admin.id}`, outcome: 'refused' },
  })

  await service.admin.updateOperator(admin.id, { role: 'viewer', reach: [tenant.id] })
  expectError(
    await api.post(api.users, { profile: { email: 'b@example.com' } }),
    403,
    'not_permitted',
  )
  await service.admin.updateOperator(admin.id, { role: 'admin', reach: [other.id] })
  expectError(await api.get(api.tenant), 404, 'not_found')
})

test('an operator who downloads the audit log on a command line leaves entries in it, and a key leaves none', async () => {
  await using running = await start()
  const { as, tenant, service } = running
  const viewer = await running.logIn({ role: 'viewer', reach: [tenant.id] })
  const { token } = await logInCommand(running, viewer)
  const { secret } = await service.admin.createApiKey({ name: 'follower', reach: [tenant.id] })
  const audit = `/x/v1/tenants/${tenant.id}/audit`
  async function download(bearer: string, accept: string, query = ''): Promise<number> {
    const answer = await service.fetch(`https://api.example${audit}${query}`, {
      headers: { authorization: `Bearer ${bearer}`, accept },
    })
    await answer.text()
    return answer.status
  }
  const noted = async () =>
    (await service.admin.audit({ tenantId: tenant.id, limit: 20 }))
      .filter(({ action }) => action.startsWith('audit.export'))
      .map(({ action, actor, fields }) => ({ action, actor, fields }))

  for (const accept of ['text/csv', 'application/x-ndjson']) {
    expect(await download(secret, accept)).toBe(200)
  }
  expect((await as(token).get(audit)).status).toBe(200)
  expect(await noted()).toEqual([])

  const actor = `operator:${viewer.id}`
  expect(await download(token, 'text/csv', '?action=tenant.')).toBe(200)
  expect(await noted()).toEqual([
    { action: 'audit.exported', actor, fields: ['rows'] },
    { action: 'audit.export', actor, fields: ['action', 'format'] },
  ])
  expect(await download(token, 'application/x-ndjson')).toBe(200)
  expect(await noted()).toHaveLength(4)
  expect(await download(token, 'text/csv', '?from=yesterday')).toBe(400)
  expect(await noted()).toHaveLength(4)
})

test('what the console asks a new login for needs one on a command line, and none is good for more than eight hours', async () => {
  await using running = await start()
  const { as, isIn } = running
  const owner = await running.logIn({ role: 'owner' })
  const { token } = await logInCommand(running, owner)
  const api = as(token)
  moveTime(301)
  const refused = await api.post(api.users, { profile: { email: 'ada@example.com' } })
  expectError(refused, 403, 'not_permitted')
  expect(refused.headers.get('latchkey-error-detail')).toContain('latchkey login')
  expect(await isIn(token)).toBe(200)
  moveTime(8 * 3_600)
  expect(await isIn(token)).toBe(401)
})

test.each([
  ['SQLite', async () => on('SQLite')],
  ['PostgreSQL and Redis', onShared],
])(
  'a login on a command line ends at once with all that it came from, on %s',
  async (_, options) => {
    await using running = await start(await options())
    const { isIn } = running
    const { admin } = running.service
    const ends: Record<string, (browser: OperatorBrowser, token: string) => Promise<unknown>> = {
      disabled: ({ id }) =>
        sendForm(boss, `/console/operators/${id}/disable`, {}, '/console/operators'),
      removed: ({ id }) => admin.removeOperator(id),
      recovered: ({ email }) => admin.recoverOperator(email),
      'logged out in the browser': async (browser) => {
        const out = await browser.send('/console/logout', { method: 'POST' })
        return browser.get(out.location ?? '')
      },
      'logged out on the command line': (_, token) => post(running, '/oidc/revoke', { token }),
      withdrawn: async (browser) => {
        const page = await browser.get('/account/access')
        expect(page.html).toContain('latchkey')
        const withdraw = /name="withdraw" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
        return browser.submit(page, { withdraw })
      },
    }
    const boss = await running.logIn({ role: 'owner' })
    for (const [name, end] of Object.entries(ends)) {
      const browser = await running.logIn({ role: 'owner' })
      const { token } = await logInCommand(running, browser)
      expect([name, await isIn(token)]).toEqual([name, 200])
      await end(browser, token)
      expect([name, await isIn(token)]).toEqual([name, 401])
      if (name !== 'withdrawn') continue
      const next = await logInCommand(running, browser)
      expect([await isIn(next.token), await isIn(token)]).toEqual([200, 401])
    }
  },
)

test('no other token opens the API, and no login that is old or weak', async () => {
  await using running = await start()
  const { isIn, service } = running
  const owner = await running.logIn({ role: 'owner' })
  // A stranger who asks for the code would like any login in the browser to do.
  moveTime(301)
  const begun = await begin(running, { max_age: '100000' })
  const page = await enter(owner, begun.user_code)
  expect(page.html).toContain('name="password"')
  const asked = await owner.submit(page, { email: owner.email, password: 'correct horse battery' })
  expect(asked.html).toContain('value="allow"')
  expect((await redeem(running, begun.device_code)).body.error).toBe('authorization_pending')
  await owner.submit(asked, { answer: 'allow' })
  const { body } = await redeem(running, begun.device_code)
  const good = body.access_token ?? ''
  expect(await isIn(good)).toBe(200)
  for (const token of [
    'x'.repeat(43),
    `${good}x`,
    body.id_token ?? '',
    'latchkey_'.padEnd(52, 'x'),
  ]) {
    expect(await isIn(token)).toBe(401)
  }
  // The client is that of operators alone.
  const other = await service.fetch('https://acme.example/oidc/device', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: CLIENT, scope: 'openid' }).toString(),
  })
  expect(other.status).toBe(401)
})

test('every operation says what an operator needs for it', () => {
  expect(Object.keys(neededFor).sort()).toEqual(routes.map((one) => one.operationId).sort())
})
