import type { IdentityService } from '@latchkey/service'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createBackground } from '../../src/background/index.ts'
import type { Call } from '../../src/console/calls/call.ts'
import { consoleRoutes } from '../../src/console/routes/index.ts'
import { operatorRoles, roleMay } from '../../src/domain/operators/roles.ts'
import { createIssuer } from '../../src/issuer/index.ts'
import { createAdmin } from '../../src/operate/admin.ts'
import type { DataStore } from '../../src/store/ports.ts'
import { createSqliteProtocolStore } from '../../src/store/sqlite/protocol-store.ts'
import { SYSTEM_TENANT_ID } from '../../src/store/system-tenant.ts'
import type { DeliveryQuery } from '../../src/webhooks/index.ts'
import { createWebhook } from '../../src/webhooks/rules.ts'
import { createClientIp } from '../../src/wire/client.ts'
import { openApi } from '../support/context.ts'
import {
  addWebhook,
  CONSOLE,
  type ConsoleService,
  type OperatorBrowser,
  startConsole,
} from './support.ts'

const logger = pino({ level: 'silent' })

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

interface Ids extends Record<string, string> {
  tenant: string
  user: string
  operator: string
  key: string
  application: string
  mail: string
  entry: string
  connection: string
  recipe: string
  credential: string
  webhook: string
  delivery: string
}

function at(path: string, ids: Ids): string {
  return path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? '')
}

const tokenOf = (html: string) => /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''

async function send(browser: OperatorBrowser, method: string, path: string, csrf = '') {
  const init = method === 'GET' ? {} : { body: new URLSearchParams({ csrf }), headers: FORM }
  return browser.send(path, { method, ...init } as RequestInit)
}

/** A service with two tenants, a user, a key and operators of all kinds. */
async function filled(running: ConsoleService) {
  const { admin } = running.service
  const tenant = await admin.createTenant({ domain: 'acme.example' })
  const other = await admin.createTenant({ domain: 'other.example' })
  await admin.seed({
    tenants: [
      {
        settings: { domain: 'acme.example' },
        applications: [{ name: 'Shop', redirect_urls: ['https://shop.example/callback'] }],
        users: [{ profile: { email: 'eve@example.com' } }],
      },
    ],
  })
  const connection = await admin.createConnection(tenant.id, {
    recipe: 'google',
    clientId: 'acme',
    secret: 'a secret',
  })
  const { key } = await admin.createApiKey({ name: 'ci', reach: [tenant.id] })
  const user = (await admin.audit({ tenantId: tenant.id })).find(
    ({ action }) => action === 'user.create',
  )
  const application = (await admin.audit({ tenantId: tenant.id })).find(
    ({ action }) => action === 'application.create',
  )
  const spare = await admin.inviteOperator({ email: 'spare@example.com', role: 'viewer' })
  const ids: Ids = {
    tenant: tenant.id,
    user: user?.target ?? '',
    operator: spare.operator.id,
    key: key.id,
    application: application?.target ?? '',
    mail: 'none',
    entry: String((await admin.audit({ limit: 1 }))[0]?.id),
    connection: connection.id,
    recipe: 'oidc',
    credential: 'totp_app',
    webhook: await addWebhook(running.service, tenant.id, { url: 'https://shop.invalid/hooks' }),
    delivery: '1',
  }
  // The new way to log in ends her sessions a little later, which needs a signing key: as a tenant
  // that has none is given one then, in the middle of a test, this one has its key before.
  await admin.rotateSigningKey(tenant.id)
  await admin.giveAuthenticatorApp(tenant.id, ids.user)
  return { ids, tenant, other, admin }
}

/** The changes so far, as the audit log has them. */
async function done(admin: IdentityService['admin']): Promise<string[]> {
  const entries = await admin.audit({ limit: 1_000 })
  return entries.flatMap(({ outcome, action, target }) =>
    outcome === 'success' ? [`${action} ${target}`] : [],
  )
}

const reads = consoleRoutes.filter(
  ({ method, path }) => method === 'GET' && !/\/export$/.test(path),
)
const writes = consoleRoutes.filter(({ method }) => method === 'POST')

describe('every route of the console', () => {
  test('shows its page to an operator, and sends a visitor to log in', async () => {
    await using running = await startConsole()
    const { ids } = await filled(running)
    const viewer = await running.logIn({ role: 'viewer' })
    const owner = await running.logIn({ role: 'owner' })
    expect(reads.length).toBeGreaterThan(7)
    for (const { path, needs } of reads) {
      const page = await (needs === 'read' ? viewer : owner).send(at(path, ids), { method: 'GET' })
      expect(`${path} ${page.status}`).toBe(`${path} 200`)
      expect(page.html).toContain('<h1>')
      const visitor = await running.open().send(at(path, ids), { method: 'GET' })
      expect(`${path} ${visitor.status}`).toBe(`${path} 302`)
    }
    for (const { path } of writes) {
      const csrf = tokenOf(viewer.landed.html)
      const answer = await running.open().send(at(path, ids), {
        method: 'POST',
        body: new URLSearchParams({ csrf }) as never,
        headers: FORM,
      })
      expect([302, 303, 401, 403]).toContain(answer.status)
    }
  })

  test('refuses a viewer who would change something, with 403', async () => {
    await using running = await startConsole()
    const { ids, admin } = await filled(running)
    const owner = await running.logIn({ role: 'owner' })
    const viewer = await running.logIn({ role: 'viewer' })
    const before = await done(admin)
    const csrf = tokenOf((await owner.get('/console/operators')).html)
    for (const { path } of writes) {
      const answer = await send(viewer, 'POST', at(path, ids), csrf)
      expect(`${path} ${answer.status}`).toBe(`${path} 403`)
    }
    expect(await done(admin)).toEqual(before)
  })

  test('is open to the roles of the stored matrix, and to no other', async () => {
    const lines = consoleRoutes.map(({ method, path, needs, concerns, isDangerous }) => {
      const cells = operatorRoles.map((one) => (roleMay(one, needs) ? one : '-').padEnd(8))
      return `${cells.join('')}${needs.padEnd(12)}${isDangerous ? 'new login' : '-        '}  ${concerns.padEnd(8)}${method.padEnd(5)}${path}`
    })
    await expect(`${lines.sort().join('\n')}\n`).toMatchFileSnapshot('routes-and-roles.txt')

    await using running = await startConsole()
    const { ids, admin } = await filled(running)
    const operators = {
      viewer: await running.logIn({ role: 'viewer' }),
      support: await running.logIn({ role: 'support' }),
      admin: await running.logIn({ role: 'admin' }),
    }
    const before = await done(admin)
    for (const { method, path, needs } of consoleRoutes) {
      for (const [own, browser] of Object.entries(operators)) {
        if (roleMay(own as keyof typeof operators, needs)) continue
        const csrf = tokenOf(browser.landed.html)
        const { status, html } = await send(browser, method, at(path, ids), csrf)
        expect(`${own} ${method} ${path} ${status}`).toBe(`${own} ${method} ${path} 403`)
        expect(html).toContain('The roles that may do this: ')
      }
    }
    expect(await done(admin)).toEqual(before)
  })

  test('of another tenant, or of the whole service, is not there for an operator of one tenant (C1)', async () => {
    await using running = await startConsole()
    const { ids, other, admin } = await filled(running)
    const stranger = await running.logIn({ role: 'admin', reach: [other.id] })
    const before = await done(admin)
    for (const { method, path, concerns } of consoleRoutes) {
      if (concerns === 'any') continue
      const answer = await send(stranger, method, at(path, ids))
      expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 404`)
    }
    expect(await done(admin)).toEqual(before)
    const list = await stranger.get('/console/tenants')
    expect(list.html).toContain(other.id)
    expect(list.html).not.toContain(ids.tenant)
  })

  test('of the system tenant is not there for an owner', async () => {
    await using running = await startConsole()
    const { ids } = await filled(running)
    const owner = await running.logIn({ role: 'owner' })
    const system = { ...ids, tenant: SYSTEM_TENANT_ID, user: owner.id }
    for (const { method, path, concerns } of consoleRoutes) {
      if (concerns !== 'tenant') continue
      const answer = await send(owner, method, at(path, system), tokenOf(owner.landed.html))
      expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 404`)
    }
  })

  test('takes no form without the token of the session, or from another site, and changes nothing by GET (C10)', async () => {
    await using running = await startConsole()
    const { ids, admin } = await filled(running)
    const owner = await running.logIn({ role: 'owner' })
    const other = await running.logIn({ role: 'owner' })
    const csrf = tokenOf((await owner.get('/console/operators')).html)
    const foreign = tokenOf((await other.get('/console/operators')).html)
    expect(csrf).not.toBe('')
    const before = await done(admin)
    for (const { path } of writes) {
      for (const sent of ['', 'x', foreign]) {
        const answer = await send(owner, 'POST', at(path, ids), sent)
        expect(`${path} ${answer.status}`).toBe(`${path} 403`)
      }
      const crossSite = await owner.send(at(path, ids), {
        method: 'POST',
        body: new URLSearchParams({ csrf }) as never,
        headers: { ...FORM, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      })
      expect(`${path} ${crossSite.status}`).toBe(`${path} 403`)
      const got = await owner.send(at(path, ids), { method: 'GET' })
      // An export is read as the id of a user or of an entry, which is not there.
      expect(path.endsWith('/export') ? [404, 405] : [200, 405]).toContain(got.status)
    }
    expect(await done(admin)).toEqual(before)
  })

  test('is in no frame, and runs no script (C3, C10)', async () => {
    await using running = await startConsole()
    const { ids } = await filled(running)
    const owner = await running.logIn({ role: 'owner' })
    for (const { path } of reads) {
      const { headers, html } = await owner.send(at(path, ids), { method: 'GET' })
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy.replace("; script-src 'self'", '')).not.toContain('script')
      const scripts = /<script src="\/assets\/[\w-]+\.js" defer><\/script>/g
      expect(html.replace(scripts, '')).not.toMatch(/<script|\son\w+=/i)
    }
  })

  test('is not there without a console, nor is its login (C6)', async () => {
    await using running = await startConsole()
    const { ids } = await filled(running)
    const { createIdentityService } = await import('@latchkey/service')
    await using off = await createIdentityService()
    await off.admin.inviteOperator({ email: 'ada@example.com', role: 'owner' })
    const more = [
      '/',
      '/console/login',
      '/console/callback',
      '/console/logout',
      '/console/confirm',
      '/console/resume',
      '/console/invitation',
      '/account',
      '/oidc/auth',
      '/.well-known/openid-configuration',
    ]
    for (const path of [...consoleRoutes.map((route) => at(route.path, ids)), ...more]) {
      for (const method of ['GET', 'POST']) {
        const answer = await off.fetch(`${CONSOLE}${path}`, { method, redirect: 'manual' })
        expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 404`)
      }
    }
  })

  test('logs in as another user by the permission for that alone, and after a login of the last minutes (C7)', () => {
    const acting = consoleRoutes.filter(({ path }) => /impersonat|log-?in-?as|act-?as/.test(path))
    expect(
      acting.map(({ method, path, needs, isDangerous }) => [method, path, needs, isDangerous]),
    ).toEqual([
      ['GET', '/console/t/:tenant/users/:user/log-in-as', 'impersonate', true],
      ['POST', '/console/t/:tenant/users/:user/log-in-as', 'impersonate', true],
      ['POST', '/console/t/:tenant/users/:user/log-in-as/begin', 'impersonate', true],
      ['POST', '/console/t/:tenant/users/:user/log-in-as/end', 'impersonate', false],
    ])
  })

  test('asks the data store at most seven times for a page, however long it is (C8)', async () => {
    const counted: string[] = []
    const wrap = (store: DataStore): DataStore =>
      new Proxy(store, {
        get(target, part) {
          const value = Reflect.get(target, part)
          if (typeof value !== 'object' || value === null) return value
          return new Proxy(value, {
            get(methods, name) {
              const method = Reflect.get(methods, name)
              return (...args: unknown[]) => {
                counted.push(`${String(part)}.${String(name)}`)
                return Reflect.apply(method, methods, args)
              }
            },
          })
        },
      })
    await using api = await openApi('memory', { wrap })
    const user = await api.createUser()
    for (let i = 0; i < 60; i++) await api.createUser()
    const application = await api.create(api.applications, { name: 'Shop' })
    for (let i = 0; i < 60; i++) await api.create(api.applications, { name: `Shop ${i}` })
    const { context } = api
    Object.assign(context.domains, { consoleHost: 'console.example' })
    await createAdmin(context).inviteOperator({ email: 'ada@example.com', role: 'owner' })
    const [operator] = await context.store.operators.list()
    const tenant = await context.store.tenants.get(api.tenantId)
    const protocol = createSqliteProtocolStore({ path: ':memory:', clock: context.clock })
    const clientIp = createClientIp([], logger)
    const background = createBackground(logger)
    const issuer = createIssuer({ domain: context, protocol, background, logger, clientIp })
    onTestFinished(() => background.close())
    await issuer.idle()
    const connection = await createAdmin(context).createConnection(api.tenantId, {
      recipe: 'google',
      clientId: 'acme',
      secret: 'a secret',
    })
    const { key } = await createAdmin(context).createApiKey({
      name: 'ci',
      reach: [api.tenantId],
    })
    await createAdmin(context).giveAuthenticatorApp(api.tenantId, user.id)
    const url = 'https://shop.invalid/hooks'
    const outgoing = { refusalOf: async () => undefined }
    const { webhook } = await createWebhook({ domain: context, outgoing }, api.scope, { url })
    const webhooks = {
      deliveries: (_: unknown, id: string, query: DeliveryQuery) =>
        context.store.deliveries.list(id, query),
    }
    // It ends sessions of changed users in the background, which is no part of a page.
    await issuer.idle()
    for (const { path, run } of reads) {
      counted.length = 0
      const call = {
        scope: { context, actor: { name: 'operator:x' }, tenantId: api.tenantId },
        operator,
        support: issuer.support,
        webhooks,
        system: { stores: {}, startedAt: 0, check: async () => {}, queues: protocol },
        tenant,
        ids: {
          tenant: api.tenantId,
          user: user.id,
          entry: '1',
          application: application.id,
          connection: connection.id,
          recipe: 'oidc',
          credential: 'totp_app',
          key: key.id,
          operator: operator?.operator.id,
          webhook: webhook.id,
        },
        query: new URLSearchParams(),
        form: new URLSearchParams(),
        origin: CONSOLE,
      }
      expect((await run(call as unknown as Call)).kind).toBe('page')
      expect(`${path} ${counted.length <= 7 || counted.join(' ')}`).toBe(`${path} true`)
    }
  })
})

test('what an operator does is in the audit log under the operator, and a user who is disabled cannot log in', async () => {
  await using running = await startConsole()
  const { ids, admin } = await filled(running)
  const ada = await running.logIn({ role: 'admin' })
  const path = `/console/t/${ids.tenant}/users/${ids.user}`
  const csrf = tokenOf((await ada.get(path)).html)
  const answer = await send(ada, 'POST', `${path}/disable`, csrf)
  expect(answer.location).toBe(`${path}?done=disabled`)
  expect((await ada.get(answer.location ?? '')).html).toContain('disabled: cannot log in')
  const [entry] = await admin.audit({ target: ids.user })
  expect(entry).toMatchObject({
    action: 'user.update',
    actor: `operator:${ada.id}`,
    tenantId: ids.tenant,
    requestId: expect.any(String),
  })
})

test('hostile text in stored fields is shown as text, and links lead to mailboxes and https alone (C3, C4, C5)', async () => {
  await using running = await startConsole()
  const { ids, admin } = await filled(running)
  const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`
  await admin.createApiKey({ name: evil, reach: 'all' })
  await admin.createTenant({ domain: 'evil.example', name: evil, settings: { companyName: evil } })
  await admin.seed({
    tenants: [
      {
        settings: { domain: 'acme.example' },
        users: [
          {
            profile: {
              email: 'x@example.com',
              name: `${evil}\u202e`,
              website: 'javascript:alert(1)',
            },
          },
        ],
      },
    ],
  })
  const [made] = await admin.audit({ tenantId: ids.tenant, limit: 1 })
  await admin.updateConnection(ids.tenant, ids.connection, { name: evil.slice(0, 60) })
  const all = { ...ids, user: made?.target ?? '' }
  await admin.giveAuthenticatorApp(ids.tenant, all.user)
  const owner = await running.logIn({ role: 'owner' })
  for (const { path } of reads) {
    const { html, status } = await owner.send(at(path, all), { method: 'GET' })
    expect(`${path} ${status}`).toBe(`${path} 200`)
    expect(html).not.toMatch(/<script(?! src="\/assets\/)|<img|onerror=alert\(1\)>'/)
    for (const [, href = ''] of html.matchAll(/href="([^"]*)"/g)) {
      expect(href).toMatch(/^(\/|#|https:|mailto:)/)
    }
  }
  expect((await owner.get(`/console/t/${ids.tenant}/users/${all.user}`)).html).toContain('U+202E')
})
