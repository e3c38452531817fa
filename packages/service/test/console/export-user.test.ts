import { expect, test } from 'vitest'
import { act, openShop, REASON, start } from './log-in-as.ts'
import { press, textOf } from './support.ts'

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

test('the copy that the API gives, at once or in pages, is that of the console, and each leaves entries in the audit log', async () => {
  const at = await start('SQLite')
  await using _ = at.running
  const { ada, eve, running, tenant } = at
  await act(at)
  for (let n = 0; n < 3; n++) {
    await tenant.call('POST', `/x/v1/tenants/${tenant.id}/users/${ada.id}/mails`, { kind: 'reset' })
  }
  const page = await eve.get(`${tenant.path}/users/${ada.id}`)
  const { html } = await press(eve, page, `${tenant.path}/users/${ada.id}/export`)
  const { secret } = await running.service.admin.createApiKey({
    ...{ name: 'data', reach: [tenant.id], readOnly: true },
  })
  const path = `/x/v1/tenants/${tenant.id}/users/${ada.id}/data`
  const get = (query = '', accept = 'application/json') =>
    running.service.fetch(`https://api.example${path}${query}`, {
      headers: { authorization: `Bearer ${secret}`, accept },
    })
  const entries = async () =>
    (await running.service.admin.audit({ tenantId: tenant.id, limit: 20 }))
      .filter(({ actor, action }) => actor.startsWith('key:') && action.startsWith('user.export'))
      .map(({ action, fields }) => [action, fields])

  const file = await get('', 'application/x-ndjson')
  expect(file.headers.get('content-type')).toBe('application/x-ndjson')
  expect(await file.text()).toBe(html)
  const rows = html.trim().split('\n').length
  expect(rows).toBeGreaterThan(6)
  expect(await entries()).toEqual([
    ['user.exported', ['rows']],
    ['user.export', ['user']],
  ])
  expect(textOf((await eve.get(`${tenant.path}/audit`)).html)).toContain(`Rows “${rows}”`)

  const items: object[] = []
  for (let next: string | undefined = '?limit=2'; next !== undefined; ) {
    const answer = await get(next)
    const { data } = (await answer.json()) as { data: object[] }
    expect(data.length).toBeLessThanOrEqual(2)
    items.push(...data)
    next = /<[^?]+([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  expect(items.map((one) => `${JSON.stringify(one)}\n`).join('')).toBe(html)
  const found = await entries()
  expect(found.filter(([action]) => action === 'user.exported')).toHaveLength(2)
  expect(found.length).toBeGreaterThan(5)

  expect((await get('?after=none')).status).toBe(400)
  const { secret: foreign } = await running.service.admin.createApiKey({
    name: 'other',
    reach: [(await running.service.admin.createTenant({ domain: 'other.example' })).id],
  })
  const refused = await running.service.fetch(`https://api.example${path}`, {
    headers: { authorization: `Bearer ${foreign}` },
  })
  expect(refused.status).toBe(404)
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
