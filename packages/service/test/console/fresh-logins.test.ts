import { afterEach, expect, test, vi } from 'vitest'
import { press, startConsole } from './support.ts'
import { aTenant } from './tenant.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('acts that could take over logins ask for a new login, and those beside them do not', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await using running = await startConsole()
  const tenant = await aTenant(running)
  const ada = await tenant.addUser({ email_verified: false })
  const { body: shop } = await tenant.call('POST', `/v1/tenants/${tenant.id}/applications`, {
    name: 'Shop',
  })
  const { admin } = running.service
  const { id } = await admin.createConnection(tenant.id, {
    recipe: 'google',
    clientId: 'acme',
    secret: 'a secret',
  })
  const operator = await running.logIn({ role: 'admin' })
  const page = await operator.get(`${tenant.path}/settings`)
  vi.setSystemTime(Date.now() + 6 * 60_000)
  const asks = async (path: string, fields: Record<string, string> = {}) => {
    const { location = '' } = await press(operator, page, `${tenant.path}${path}`, fields)
    return location.startsWith('/console/confirm?to=')
  }
  const redirects = { name: 'Shop', redirect_urls: 'https://evil.example/callback' }
  expect(await asks(`/applications/${shop.id}`, redirects)).toBe(true)
  expect(await asks(`/connections/${id}`, { trust_email: 'yes' })).toBe(true)
  expect(await asks(`/users/${ada.id}/verify`)).toBe(true)
  expect(await asks('/signing-keys/rotate')).toBe(true)
  expect(await asks('/applications', redirects)).toBe(true)
  expect(await asks(`/connections/${id}/enable`)).toBe(true)
  expect(await asks('/users/new', { email: 'eve@example.com', verified: 'yes' })).toBe(true)
  for (const group of ['ways', 'users', 'development']) {
    expect(await asks('/settings/save', { group })).toBe(true)
  }
  expect(await asks('/settings/save', { group: 'domain', domain: 'evil.example' })).toBe(true)

  expect(await asks('/settings/save', { group: 'names' })).toBe(false)
  expect(await asks(`/users/${ada.id}/end-sessions`)).toBe(false)
  expect((await tenant.call('GET', `/v1/tenants/${tenant.id}`)).body.settings.domain).toBe(
    tenant.domain,
  )
})
