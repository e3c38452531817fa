import { afterEach, expect, test, vi } from 'vitest'
import { press, startConsole, textOf } from './support.ts'
import { aTenant } from './tenant.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('a download of users or of the audit log needs a login of the last five minutes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await using running = await startConsole()
  const tenant = await aTenant(running)
  await tenant.addUser()
  const viewer = await running.logIn({ role: 'viewer' })
  const bases = [`${tenant.path}/users`, `${tenant.path}/audit`, '/console/audit']
  for (const base of bases) {
    const { headers, status } = await viewer.send(`${base}/export`, { method: 'GET' })
    expect(status).toBeGreaterThanOrEqual(404)
    expect(headers.has('content-disposition')).toBe(false)
  }
  const page = await viewer.get(`${tenant.path}/users`)
  vi.setSystemTime(Date.now() + 6 * 60_000)
  for (const base of bases) {
    const { location = '' } = await press(viewer, page, `${base}/export`)
    expect(location).toMatch(/^\/console\/confirm\?to=/)
  }
  const entries = await running.service.admin.audit({ limit: 1_000 })
  expect(entries.filter(({ action }) => action.includes('export'))).toEqual([])
})

test('a download is noted before it begins, and with its number of rows when it ends', async () => {
  await using running = await startConsole()
  const tenant = await aTenant(running)
  await tenant.addUser({}, '')
  await tenant.addUser({ email: 'bob@example.com' }, '')
  const viewer = await running.logIn({ role: 'viewer', email: 'vera@example.com' })
  const page = await viewer.get(`${tenant.path}/users`)
  expect(page.html).toContain(`action="${tenant.path}/users/export"`)
  const search = 'bob@example.com'
  const file = await press(viewer, page, `${tenant.path}/users/export`, { search, format: 'csv' })
  expect(file.html.trim().split('\r\n')).toHaveLength(2)
  await press(viewer, page, `${tenant.path}/audit/export`)
  await press(viewer, page, '/console/audit/export', { action: 'user.create' })
  const { html } = await viewer.get('/console/audit')
  const rows = [...html.matchAll(/<tr>[\s\S]*?<\/tr>/g)].map(([row]) => textOf(row)).join('\n')
  for (const sentence of [
    'vera@example.com began to download the users of acme.example: Search “…@example.com”, Order “oldest”, Format “csv”.',
    'vera@example.com downloaded the users of acme.example: Rows “1”.',
    'vera@example.com began to download the audit log of acme.example: Format “ndjson”.',
    'vera@example.com downloaded the audit log of acme.example: Rows “6”.',
    'vera@example.com began to download the audit log of all tenants: action “user.create”, Format “ndjson”.',
    'vera@example.com downloaded the audit log of all tenants: Rows “3”.',
  ]) {
    expect(rows).toContain(sentence)
  }
  expect(rows).not.toContain('“bob@example.com”')
})
