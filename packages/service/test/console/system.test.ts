import { afterEach, describe, expect, test, vi } from 'vitest'
import { on, press, startConsole, stores } from './support.ts'
import { aTenant, PASSWORD } from './tenant.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe.each(stores)('on %s', (store) => {
  test('a tenant is deleted after a fresh login, once its domain was entered', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    await using running = await startConsole(on(store))
    const { admin } = running.service
    const tenant = await aTenant(running)
    await tenant.addUser()
    const owner = await running.logIn({ role: 'owner' })
    const path = `${tenant.path}/delete`
    expect((await owner.get(tenant.path)).html).toContain(`href="${path}"`)
    const ask = await owner.get(path)
    expect(ask.html).toContain('One user, no applications'.replace('no', '0'))
    vi.setSystemTime(Date.now() + 6 * 60_000)
    const fields = { typed: tenant.domain.toUpperCase() }
    const stale = await press(owner, ask, path, fields)
    expect(stale.location).toContain('/console/confirm')
    const login = await owner.get(stale.location ?? '')
    const fresh = await owner.submit(login, { email: owner.email, password: PASSWORD })
    const wrong = await press(owner, fresh, path, { typed: 'other.example' })
    expect(wrong).toMatchObject({
      status: 422,
      html: expect.stringContaining('Nothing was done: enter acme.example'),
    })
    expect(await admin.findTenant(tenant.domain)).toBeDefined()

    const done = await press(owner, fresh, path, fields)
    expect(done.location).toBe('/console/tenants?done=tenant_deleted')
    expect(await admin.findTenant(tenant.domain)).toBeUndefined()
    expect((await owner.get(tenant.path)).status).toBe(404)
    const deleted = (await admin.audit({ target: tenant.id })).find(
      ({ action }) => action === 'tenant.delete',
    )
    expect(deleted).toMatchObject({ actor: `operator:${owner.id}` })
    await vi.waitFor(async () => {
      expect((await owner.get('/console/system')).html).toContain('No rows of a deleted tenant')
    })
  })

  test('the system page tells the version, the stores and the queues', async () => {
    await using running = await startConsole({
      ...on(store),
      mail: { url: 'smtp://127.0.0.1:9', from: 'no-reply@acme.example' },
    })
    const tenant = await aTenant(running)
    const ada = await tenant.addUser({}, '')
    const mails = `/x/v1/tenants/${tenant.id}/users/${ada.id}/mails`
    expect((await tenant.call('POST', mails, { kind: 'invite' })).status).toBe(200)
    const viewer = await running.logIn({ role: 'viewer' })
    await vi.waitFor(async () => {
      const { html } = await viewer.get('/console/system')
      expect(html).toContain('All stores can be written to.')
      expect(html).toContain(`<dd>${store}</dd>`)
      expect(html).toMatch(
        /<td[^>]*>Mail<\/td><td[^>]*>1<\/td><td[^>]*><span class="badge warn">1</,
      )
    })

    const overview = await viewer.get('/console')
    expect(overview.html).toContain('Needs attention')
    expect(overview.html).toContain(`href="${tenant.path}/outbox?state=waiting"`)
    const other = await aTenant(running, {}, 'other.example')
    const stranger = await running.logIn({ role: 'viewer', reach: [other.id] })
    expect((await stranger.get('/console')).html).not.toContain(tenant.id)
  })
})

test('the overview names API keys that expire within 14 days', async () => {
  await using running = await startConsole()
  const { admin } = running.service
  const days = (count: number) => (Date.now() + count * 86_400_000) * 1_000
  await admin.createApiKey({ name: 'soon', reach: 'all', expiresAt: days(13) })
  await admin.createApiKey({ name: 'later', reach: 'all', expiresAt: days(15) })
  const viewer = await running.logIn({ role: 'viewer' })
  const { html } = await viewer.get('/console')
  expect(html).toMatch(/The key <bdi>soon<\/bdi> expires/)
  expect(html).not.toMatch(/The key <bdi>later<\/bdi>/)
})
