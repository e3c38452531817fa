import { describe, expect, test } from 'vitest'
import { type OperatorBrowser, on, press, startConsole, stores, textOf } from './support.ts'
import { aTenant } from './tenant.ts'

const rowsOf = ({ html }: { html: string }) =>
  [...html.matchAll(/href="\/console\/audit\/(\d+)"[\s\S]*?<code><bdi>([^<]+)/g)].map(
    ([, id, action]) => ({ id, action }),
  )

async function linesAt(operator: OperatorBrowser, base: string, fields = {}) {
  const page = await operator.get(base)
  const { html, headers, status } = await press(operator, page, `${base}/export`, fields)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('application/x-ndjson')
  expect(headers.get('content-disposition')).toMatch(
    /^attachment; filename="audit-[\w-]+\.ndjson"$/,
  )
  return html
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe.each(stores)('on %s, the audit log', (store) => {
  test('is filtered by actor, beginning of the action, target and days, of a tenant or the whole service', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const ada = await tenant.addUser()
    const owner = await running.logIn({ role: 'owner' })
    const page = await owner.get(`${tenant.path}/users/${ada.id}`)
    await press(owner, page, `${tenant.path}/users/${ada.id}/disable`)

    for (const base of ['/console/audit', `${tenant.path}/audit`]) {
      const actions = async (query: string) =>
        rowsOf(await owner.get(`${base}?${query}`)).map(({ action }) => action)
      expect(await actions(`actor=operator:${owner.id}`)).toEqual(['user.update'])
      expect(await actions(`target=${ada.id}&action=user.`)).toEqual(['user.update', 'user.create'])
      expect(await actions(`user=${ada.id}`)).toContain('credential.create')
      const today = new Date().toISOString().slice(0, 10)
      expect(await actions(`from=${today}&action=user.create&to=2999-01-01`)).toContain(
        'user.create',
      )
      expect(await actions('to=2020-01-01')).toEqual([])
      expect(await actions('from=2999-01-01')).toEqual([])
    }
    expect((await owner.get('/console/audit?action=operator.')).html).toContain('operator.accept')
    expect((await owner.get(`${tenant.path}/audit?action=operator.`)).html).toContain(
      'Nothing was found',
    )
  })

  test('says who did what to whom, with the address, the changed fields and the second', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const ada = await tenant.addUser()
    const owner = await running.logIn({ role: 'owner', email: 'olga@example.com' })
    const path = `${tenant.path}/users/${ada.id}`
    for (const act of ['disable', 'enable', 'end-sessions']) {
      await press(owner, await owner.get(path), `${path}/${act}`)
    }
    const { body } = await tenant.call('GET', `/v1${path.replace('/console/t', '/tenants')}`)
    await tenant.call('POST', `/v1${path.replace('/console/t', '/tenants')}`, {
      ...body,
      profile: { ...body.profile, name: 'Ada King' },
    })
    for (const page of [`${tenant.path}/audit`, `/console/audit?user=${ada.id}`]) {
      const { html } = await owner.get(page)
      const rows = [...html.matchAll(/<tr>[\s\S]*?<\/tr>/g)].map(([row]) => textOf(row))
      const updates = rows.filter((row) => row.includes('user.update'))
      const on = 'Ada King (ada@example.com)'
      expect(updates).toEqual([
        expect.stringContaining(`The API key tests changed the user ${on}: Name to “Ada King”.`),
        expect.stringContaining('olga@example.com ended all sessions of ada@example.com.'),
        expect.stringContaining('olga@example.com enabled the user ada@example.com.'),
        expect.stringContaining('olga@example.com disabled the user ada@example.com.'),
      ])
      for (const update of updates) expect(update).not.toContain(ada.id)
      expect(updates.every((row) => /\d\d:\d\d:\d\d UTC/.test(row))).toBe(true)
      expect(html).toContain(`href="${path}"`)
    }
    const filtered = async (base: string, actor: string) =>
      rowsOf(await owner.get(`${base}?actor=${encodeURIComponent(actor)}`)).length
    expect(await filtered('/console/audit', 'Olga@example.com')).toBeGreaterThanOrEqual(3)
    expect(await filtered(`${tenant.path}/audit`, 'olga@example.com')).toBe(3)
    await tenant.logIn(ada.email)
    expect(await filtered(`${tenant.path}/audit`, ada.email)).toBeGreaterThan(0)
    expect(await filtered(`${tenant.path}/audit`, 'nobody@example.com')).toBe(0)
    const api = `/x/v1/tenants/${tenant.id}/audit`
    const asked = await tenant.call('GET', `${api}?actor=${ada.email}`)
    expect(asked.body.data[0].actor).toBe(`user:${ada.id}`)
    const [update] = (
      await tenant.call('GET', `${api}?action=user.update&limit=4`)
    ).body.data.slice(-1)
    expect(update).toMatchObject({ fields: ['disabled'], flags: { disabled: true } })
  })

  test('says what was true at the time: later names, addresses and values change no entry', async () => {
    await using running = await startConsole(on(store))
    const { admin } = running.service
    const tenant = await aTenant(running)
    const ada = await tenant.addUser({ name: 'Ada Byron' })
    await tenant.logIn(ada.email)
    const owner = await running.logIn({ role: 'owner', email: 'olga@example.com' })
    const path = `/v1/tenants/${tenant.id}`
    const { body } = await tenant.call('GET', `${path}/users/${ada.id}`)
    const profile = { ...body.profile, email: 'king@example.com', name: 'Ada King' }
    await tenant.call('POST', `${path}/users/${ada.id}`, { ...body, profile })
    const { body: now } = await tenant.call('GET', path)
    await tenant.call('POST', path, {
      ...now,
      metadata: { latchkey_brand_color: '#123456', secret: 'of the customer' },
      settings: { ...now.settings, support_email: 'help@example.com' },
    })
    const textsAt = async (query: string) => {
      const { html } = await owner.get(`${tenant.path}/audit?${query}`)
      return [...html.matchAll(/<tr>[\s\S]*?<\/tr>/g)].map(([row]) => textOf(row)).join('\n')
    }
    expect(await textsAt('action=login.succeeded')).toContain(
      'Ada Byron (ada@example.com) logged in.',
    )
    expect(await textsAt('action=user.update')).toContain(
      'changed the user Ada King (king@example.com): ' +
        'Address from “ada@example.com” to “king@example.com”',
    )
    const ofTenant = await textsAt('action=tenant.update')
    expect(ofTenant).toContain('changed the tenant acme.example: Color to “#123456”')
    expect(ofTenant).toContain('Support address to “help@example.com”')
    expect(ofTenant).not.toContain('of the customer')
    const listed = await admin.audit({ target: ada.id })
    expect(JSON.stringify(listed)).not.toContain('example.com')

    await tenant.call('DELETE', `${path}/users/${ada.id}`)
    const left = await textsAt(`user=${ada.id}`)
    expect(left).toContain(`${ada.id} logged in.`)
    for (const name of ['Ada', 'ada@example.com', 'king@example.com']) {
      expect(left).not.toContain(name)
    }
  })

  test('shows ids on the page of an entry, and none in a list', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const ada = await tenant.addUser()
    const owner = await running.logIn({ role: 'owner', email: 'olga@example.com' })
    const user = `${tenant.path}/users/${ada.id}`
    await press(owner, await owner.get(user), `${user}/disable`)
    const history = (await owner.get(user)).html.split('<h2 id="history">')[1] ?? ''
    const log = (await owner.get(`${tenant.path}/audit`)).html
    for (const list of [history, log]) {
      const rows = [...list.matchAll(/<tr>[\s\S]*?<\/tr>/g)].map(([row]) => textOf(row)).join('\n')
      expect(rows).toContain('user.update')
      for (const id of [ada.id, owner.id]) expect(rows).not.toContain(id)
    }
    const [, entry = ''] = /href="(\/console\/audit\/[^"]+)"/.exec(history) ?? []
    const page = textOf((await owner.get(entry)).html)
    expect(page).toContain(ada.id)
    expect(page).toContain(`operator:${owner.id}`)
  })

  test('of the operators is linked to their page, as their tenant has none', async () => {
    await using running = await startConsole(on(store))
    const owner = await running.logIn({ role: 'owner', email: 'olga@example.com' })
    const [entry] = rowsOf(await owner.get('/console/audit?action=operator.accept'))
    const { html } = await owner.get(`/console/audit/${entry?.id}`)
    expect(textOf(html)).toContain('accepted the invitation for olga@example.com.')
    const links = [...html.matchAll(/href="(\/console[^"]*)"/g)].map(([, href = '']) => href)
    expect(links).toContain('/console/operators')
    for (const href of new Set(links))
      expect([href, (await owner.get(href)).status]).toEqual([href, 200])
  })

  test('does not say that a user has done what a stranger with a wrong password did', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const ada = await tenant.addUser()
    await tenant.logIn(ada.email, 'a guess')
    const [entry] = await running.service.admin.audit({ target: ada.id })
    expect(entry).toMatchObject({ action: 'login.wrong_password', actor: 'visitor' })
  })

  test('has a link for every entry, which operators without access to its tenant cannot open', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const other = await aTenant(running, {}, 'other.example')
    await tenant.addUser()
    const own = await running.logIn({ role: 'viewer', reach: [tenant.id] })
    const stranger = await running.logIn({ role: 'viewer', reach: [other.id] })
    const owner = await running.logIn({ role: 'owner' })
    const [entry] = rowsOf(await own.get(`${tenant.path}/audit?action=user.create`))
    const path = `/console/audit/${entry?.id}`
    expect((await own.get(path)).html).toContain('user.create')
    expect((await stranger.get(path)).status).toBe(404)
    const [ofService] = rowsOf(await owner.get('/console/audit?action=api_key.create'))
    expect((await owner.get(`/console/audit/${ofService?.id}`)).html).toContain('the whole service')
    expect((await own.get(`/console/audit/${ofService?.id}`)).status).toBe(404)
    for (const id of ['0', '999999', '1e3', 'x']) {
      expect((await owner.get(`/console/audit/${id}`)).status).toBe(404)
    }
  })

  test('is read page after page without a gap, and exported whole as lines of JSON', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const other = await aTenant(running, {}, 'other.example')
    await other.addUser({ email: 'eve@example.com' }, '')
    await tenant.addUsers(130)
    const owner = await running.logIn({ role: 'owner' })
    for (const base of ['/console/audit', `${tenant.path}/audit`]) {
      const seen: string[] = []
      for (let path: string | undefined = `${base}?action=user.create`; path; ) {
        const page = await owner.get(path)
        seen.push(...rowsOf(page).map(({ id }) => id ?? ''))
        path = /href="([^"]+)">Next page/.exec(page.html)?.[1]?.replaceAll('&amp;', '&')
      }
      expect(new Set(seen).size).toBe(seen.length)
      const lines = await linesAt(owner, base, { action: 'user.create' })
      expect(lines.map(({ id }) => id)).toEqual(seen)
      expect(lines.length).toBeGreaterThanOrEqual(130)
      const csv = await press(owner, await owner.get(base), `${base}/export`, {
        ...{ action: 'user.create', format: 'csv' },
      })
      const [, ...rows] = csv.html.trim().split('\r\n')
      expect(csv.html).toMatch(/^\uFEFFid,at,actor,action,target,/)
      expect(rows.map((row) => row.split(',')[0])).toEqual(seen)
      const tenants = new Set(lines.map(({ tenant_id }) => tenant_id))
      expect(tenants.has(other.id)).toBe(base === '/console/audit')
    }
    const ofTenant = await running.logIn({ role: 'viewer', reach: [tenant.id] })
    const page = await ofTenant.get(tenant.path)
    for (const path of ['/console/audit', `${other.path}/audit`]) {
      expect((await press(ofTenant, page, `${path}/export`)).status).toBe(404)
    }
    const own = await linesAt(ofTenant, `${tenant.path}/audit`)
    expect(new Set(own.map(({ tenant_id }) => tenant_id))).toEqual(new Set([tenant.id]))
  })

  test('has the refusal of a form under the id of the request that its page shows', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const ada = await tenant.addUser()
    const owner = await running.logIn({ role: 'owner' })
    const viewer = await running.logIn({ role: 'viewer' })
    const path = `${tenant.path}/users/${ada.id}`
    for (const [operator, action, fields] of [
      [viewer, 'not_permitted', {}],
      [owner, 'conflict', { kind: 'verify' }],
    ] as const) {
      const refused = await press(operator, await operator.get(path), `${path}/mail`, fields)
      const link = /href="(\/console\/audit\?request=[^"]+)"/.exec(refused.html)?.[1] ?? ''
      expect(link).toContain(refused.headers.get('request-id'))
      expect(rowsOf(await owner.get(link))).toMatchObject([{ action }])
    }
  })
})
