import { expect, test } from 'vitest'
import { act, openShop, REASON, start } from './log-in-as.ts'
import { press } from './support.ts'

test('the copy for a person has the profile, and who logged in as them: when, why, until when and where', async () => {
  const at = await start('SQLite')
  await using _ = at.running
  const { ada, eve, path, shop, running, tenant } = at
  const browser = await act(at)
  await openShop(at, browser)
  const asked = await eve.get(path)
  const login = /name="login" value="(imp_[^"]+)"/.exec(asked.html)?.[1] ?? ''
  await press(eve, asked, `${path}/end`, { login })

  const page = await eve.get(`${tenant.path}/users/${ada.id}`)
  const file = await press(eve, page, `${tenant.path}/users/${ada.id}/export`)
  expect(file.headers.get('content-disposition')).toContain(`user-${ada.id}.ndjson`)
  const lines: Record<string, unknown>[] = file.html
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines[0]).toMatchObject({ type: 'User', id: ada.id, profile: { email: ada.email } })
  expect(lines.map(({ type }) => type)).toContain('PasswordCredential')
  expect(file.html).not.toMatch(/\$2[aby]\$|secret/)
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
  expect(lines.filter(({ type }) => type === 'OperatorLogin')).toEqual([
    {
      type: 'OperatorLogin',
      id: login,
      operator: eve.email,
      operator_role: 'admin',
      reason: REASON,
      state: 'ended',
      asked_at: expect.stringMatching(time),
      begun_at: expect.stringMatching(time),
      until: expect.stringMatching(time),
      ended_at: expect.stringMatching(time),
      ended_by: 'operator',
      applications: [{ id: shop.id, name: 'Shop' }],
    },
  ])
  const noted = await running.service.admin.audit({ limit: 3 })
  expect(noted.map(({ action }) => action)).toContain('user.exported')
})

test('support and operators of other tenants get no copy of a person', async () => {
  const at = await start('SQLite')
  await using _ = at.running
  const { ada, running, tenant } = at
  const path = `${tenant.path}/users/${ada.id}/export`
  const support = await running.logIn({ role: 'support' })
  const page = await support.get(`${tenant.path}/users/${ada.id}`)
  expect(page.html).not.toContain(`action="${path}"`)
  expect((await press(support, page, path)).status).toBe(403)
})
