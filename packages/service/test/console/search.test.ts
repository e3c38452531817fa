import { describe, expect, test } from 'vitest'
import { type OperatorBrowser, on, startConsole, stores, textOf } from './support.ts'
import { aTenant } from './tenant.ts'

const find = async (browser: OperatorBrowser, q: string, within = '') => {
  const query = new URLSearchParams({ q, ...(within !== '' && { in: within }) })
  const { html, status } = await browser.get(`/console/search?${query}`)
  const rows = html.split('<tr').slice(2)
  return {
    ...{ html, status },
    /** The kind of each place, with its link. */
    found: rows.map((row) => {
      const kind = textOf(/<td[^>]*>(.*?)<\/td>/.exec(row)?.[1] ?? '')
      return `${kind} ${/href="([^"]+)"/.exec(row)?.[1]}`
    }),
  }
}

describe.each(stores)('on %s, the search of the console', (store) => {
  test('finds tenants, users, applications, operators, pages and settings, by words of both languages', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const other = await running.service.admin.createTenant({
      domain: 'other.example',
      name: 'Rivals',
    })
    const ada = await tenant.addUser({ email: 'ada@example.com', name: 'Ada Lovelace' }, '')
    const { body: shop } = await tenant.call('POST', `/v1/tenants/${tenant.id}/applications`, {
      name: 'Garden Shop',
    })
    const owner = await running.logIn({ role: 'owner', email: 'olga@example.com' })
    const user = `User ${tenant.path}/users/${ada.id}`
    for (const part of ['lovelace', 'ADA@', ada.id, 'example.com']) {
      expect(`${part}: ${(await find(owner, part)).found.join()}`).toContain(user)
    }
    expect((await find(owner, 'garden')).found).toEqual([
      `Application ${tenant.path}/applications/${shop.id}`,
    ])
    expect((await find(owner, 'riv')).found).toEqual([`Tenant /console/t/${other.id}`])
    expect((await find(owner, other.id)).found).toEqual([`Tenant /console/t/${other.id}`])
    expect((await find(owner, 'olga')).found).toEqual(['Operator /console/operators'])
    expect((await find(owner, 'audit log')).found).toEqual(['Page /console/audit'])
    expect((await find(owner, 'protokoll', tenant.id)).found).toEqual([
      'Page /console/audit',
      `Page ${tenant.path}/audit`,
    ])
    expect((await find(owner, 'support_email', tenant.id)).found).toEqual([
      `Setting ${tenant.path}/settings#names`,
    ])
    expect((await find(owner, 'lovelace', other.id)).found).toEqual([])
    expect((await find(owner, '')).found).toEqual(
      [tenant.id, other.id].map((id) => `Tenant /console/t/${id}`),
    )
    owner.headers['accept-language'] = 'de'
    expect((await find(owner, 'lovelace')).html).toContain('Eine Stelle gefunden.')
  })

  test('says that more users may have the part than are shown', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const owner = await running.logIn({ role: 'owner', email: 'olga@example.com' })
    const said = 'At most 5 of a kind are shown for each tenant'
    for (let n = 0; n < 4; n++) await tenant.addUser({ email: `grace-${n}@example.com` }, '')
    expect(textOf((await find(owner, 'grace')).html)).not.toContain(said)
    for (let n = 4; n < 7; n++) await tenant.addUser({ email: `grace-${n}@example.com` }, '')
    const { html, found } = await find(owner, 'grace')
    expect([found.length, textOf(html).includes(said)]).toEqual([5, true])
  })

  test('finds nothing outside the tenants of the operator, and does not say that it is there', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const ada = await tenant.addUser({ name: 'Ada Lovelace' }, '')
    const other = await running.service.admin.createTenant({ domain: 'other.example' })
    const bob = await running.logIn({
      role: 'support',
      reach: [other.id],
      email: 'bob@example.com',
    })
    const nothing = (await find(bob, 'zzzz')).html
    const bare = (html: string, q: string) => html.replaceAll(q, 'zzzz')
    for (const q of ['lovelace', ada.id, tenant.id, 'acme', 'bob@', 'operators', 'ten_0000']) {
      const { found, html } = await find(bob, q)
      expect(`${q}: ${found}`).toBe(`${q}: `)
      expect(bare(html, q)).toBe(bare(nothing, q))
    }
    const { found, html } = await find(bob, 'lovelace', tenant.id)
    expect(found).toEqual([])
    expect(html).not.toContain('acme')
    expect((await find(bob, '', tenant.id)).found).toEqual([`Tenant /console/t/${other.id}`])
    expect((await find(bob, 'settings')).found).toContain(`Page /console/t/${other.id}/settings`)
  })
})

test('hostile text in a search is shown as text', async () => {
  await using running = await startConsole()
  const owner = await running.logIn({ role: 'owner' })
  const { html, status } = await find(owner, `"><script>alert(1)</script>`)
  expect(status).toBe(200)
  expect(html).not.toContain('<script>')
})
