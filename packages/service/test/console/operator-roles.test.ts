import { describe, expect, test } from 'vitest'
import { createBrowser } from '../issuer/support/browser.ts'
import { startWithProvider } from '../issuer/support/social.ts'
import { startConsole } from './support.ts'
import { aTenant, PASSWORD } from './tenant.ts'

/** Every way of saying that a user is an operator. */
const claimed = {
  role: 'owner',
  roles: ['owner'],
  operator: { role: 'owner', reach: 'all' },
  reach: 'all',
  is_operator: true,
  tenant_id: 'ten_00000000000000000000000000',
  tenantId: 'ten_00000000000000000000000000',
  sub: 'usr_00000000000000000000000000',
}

describe('the role of an operator is in nothing that others write (C2):', () => {
  test('the API, an import, a seed file and the form of an account leave the operators as they are', async () => {
    await using running = await startConsole()
    const { service } = running
    const ada = await running.logIn({ role: 'viewer', email: 'ada@example.com' })
    const operators = async () => JSON.stringify(await service.admin.listOperators())
    const before = await operators()
    const tenant = await aTenant(running)
    const user = await tenant.addUser()
    const profile = { email: 'eve@example.com', ...claimed }
    const users = `/v1/tenants/${tenant.id}/users`
    const writes: [method: string, path: string, body: object][] = [
      ['POST', users, { profile }],
      ['POST', users, { profile: { email: 'eve@example.com' }, ...claimed }],
      ['PUT', `${users}/${user.id}`, { profile: { email: user.email, ...claimed }, ...claimed }],
      ['PATCH', `${users}/${user.id}`, { profile: claimed, ...claimed }],
      ['PUT', `${users}/${ada.id}`, { profile }],
      [
        'POST',
        `/x${users}/import`,
        {
          users: [
            { profile, ...claimed },
            { id: ada.id, profile },
          ],
        },
      ],
      ['PUT', `/v1/tenants/${tenant.id}`, { metadata: { role: 'owner' }, operators: [claimed] }],
      ['POST', '/x/v1/operators', claimed],
      ['POST', '/v1/operators', claimed],
    ]
    for (const [method, path, body] of writes) {
      const { status } = await tenant.call(method, path, body)
      expect(`${method} ${path} ${status < 500}`).toBe(`${method} ${path} true`)
      expect(await operators()).toBe(before)
    }
    const { domain } = tenant
    for (const document of [
      { tenants: [{ settings: { domain }, users: [{ profile, ...claimed }] }] },
      { tenants: [{ settings: { domain: 'console.example' }, users: [{ profile }] }] },
      { tenants: [], operators: [{ email: 'eve@example.com', role: 'owner' }] },
    ]) {
      await service.admin.seed(document).catch(() => {})
      expect(await operators()).toBe(before)
    }

    // The same pages, of an operator: those of the account at the system tenant.
    const account = await ada.get('/account')
    expect(account.status).toBe(200)
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(account.html) ?? []
    for (const path of ['/account', '/account/profile', '/account/security', '/account/email']) {
      const fields = { csrf, name: 'Ada', given_name: 'Ada', ...claimed, operator: 'owner' }
      await ada.send(path, {
        method: 'POST',
        body: new URLSearchParams(fields as never).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      expect(JSON.parse(await operators())[0].operator).toMatchObject({ role: 'viewer' })
      expect((await ada.get('/console/operators')).html).not.toContain('Invite an operator')
    }
    expect(await service.admin.listOperators()).toHaveLength(1)
  })

  test('claims of a provider make no operator', async () => {
    await using started = await startWithProvider({}, { trustEmail: true })
    const { issuer, provider } = started
    provider.user = { ...claimed, sub: 'eve', email: 'eve@example.com', email_verified: true }
    const { browser, form } = await started.open(createBrowser(issuer))
    await started.logInBy(browser, form)
    const users = await issuer.domain.store.users.list(issuer.tenant.id, {
      after: undefined,
      limit: 10,
    })
    expect(users?.items.map(({ email }) => email)).toContain('eve@example.com')
    expect(await issuer.domain.store.operators.list()).toEqual([])
  })

  test('a user of a tenant with the address of an operator is not let into the console', async () => {
    await using running = await startConsole()
    await running.logIn({ role: 'owner', email: 'ada@example.com' })
    const tenant = await aTenant(running)
    const user = await tenant.addUser({ email: 'ada@example.com' }, `${PASSWORD} of the tenant`)
    const browser = running.open()
    const login = await browser.get('/console')
    const refused = await browser.submit(login, {
      email: user.email,
      password: `${PASSWORD} of the tenant`,
    })
    expect(refused.html).not.toContain('<h1>Overview</h1>')
    expect((await browser.peek('/console')).status).toBe(302)
  })
})
