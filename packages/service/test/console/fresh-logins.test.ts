import { afterEach, expect, test, vi } from 'vitest'
import { type Setting, settingGroups } from '../../src/console/settings/setting-groups.ts'
import { press, sendChanges, startConsole } from './support.ts'
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
  expect(await asks('/applications/new', redirects)).toBe(true)
  expect(await asks(`/connections/${id}/enable`)).toBe(true)
  expect(await asks(`/connections/${id}/own-callback`)).toBe(true)
  expect(await asks('/users/new', { email: 'eve@example.com', verified: 'yes' })).toBe(true)
  expect(await asks(`/users/${ada.id}/end-sessions`)).toBe(false)
  expect((await tenant.call('GET', `/v1/tenants/${tenant.id}`)).body.settings.domain).toBe(
    tenant.domain,
  )
})

/** The settings that a session may change without a login of the last five minutes. */
const harmless = ['name', 'company_name', 'logo_image_text', 'latchkey_brand_color']

/** A value of a setting that the tenant of the test does not have. */
function another({ kind, name }: Setting, stored: Readonly<Record<string, unknown>>): string {
  if (kind === 'flag' || kind === 'metadata_flag') return String(stored[name] !== true)
  return kind === 'seconds' ? '7' : 'another'
}

test('a new value of any setting asks for a new login, but for names, texts and the color', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await using running = await startConsole()
  const tenant = await aTenant(running)
  const { body } = await tenant.call('GET', `/v1/tenants/${tenant.id}`)
  const operator = await running.logIn({ role: 'admin' })
  const page = `${tenant.path}/settings`
  const opened = await operator.get(page)
  vi.setSystemTime(Date.now() + 6 * 60_000)
  const asks = async (fields: Record<string, string | undefined>) => {
    const saved = await sendChanges(operator, page, fields, { action: `${page}/save`, opened })
    return (saved.location ?? '').startsWith('/console/confirm?to=')
  }
  expect(await asks({})).toBe(false)
  const asked: string[] = []
  for (const { settings } of settingGroups) {
    for (const one of settings) {
      const value = another(one, body.settings)
      if (await asks({ [one.name]: value === 'false' ? undefined : value })) asked.push(one.name)
    }
  }
  const all = settingGroups.flatMap(({ settings }) => settings.map(({ name }) => String(name)))
  expect(asked).toEqual(all.filter((name) => !harmless.includes(name)))
  const mail = { metadata_key: 'latchkey_new_device_mail', metadata_value: 'false' }
  expect(await asks(mail)).toBe(true)
  // The strictest of the changes counts, and a form that lacks fields is no way around it.
  expect(await asks({ company_name: 'Acme', allow_signups: undefined })).toBe(true)
  expect(await asks({ company_name: undefined })).toBe(true)
})
