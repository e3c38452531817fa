import { describe, expect, test } from 'vitest'
import { type StoreName, stores } from '../support/api.ts'
import { startConsoleOn } from './support.ts'

describe.each(stores.filter((one): one is Exclude<StoreName, 'cluster'> => one !== 'cluster'))(
  'the list of tenants in the console, on %s',
  (store) => {
    test('is searched by the beginning of a domain or a name, within the reach of the operator', async () => {
      await using running = await startConsoleOn(store)
      const { admin } = running.service
      const acme = await admin.createTenant({ domain: 'login.acme.example', name: 'Acme' })
      const shop = await admin.createTenant({ domain: 'shop.example', name: 'Loginov' })
      const other = await admin.createTenant({ domain: 'other.example', name: 'Other' })
      const all = await running.logIn({ role: 'viewer' })
      const shownTo = async (browser: typeof all, search: string) => {
        const { html } = await browser.get(`/console/tenants?search=${encodeURIComponent(search)}`)
        return [acme, shop, other].filter(({ id }) => html.includes(id)).map(({ name }) => name)
      }
      expect(await shownTo(all, 'LOGIN')).toEqual(['Acme', 'Loginov'])
      expect(await shownTo(all, 'login.acme.example')).toEqual(['Acme'])
      expect(await shownTo(all, 'nothing')).toEqual([])
      expect(await shownTo(all, '')).toEqual(['Acme', 'Loginov', 'Other'])
      const own = await running.logIn({ role: 'viewer', reach: [shop.id] })
      expect(await shownTo(own, 'login')).toEqual(['Loginov'])
      expect(await shownTo(own, 'other')).toEqual([])
    })

    test('a search goes on page by page', async () => {
      await using running = await startConsoleOn(store)
      for (let i = 0; i < 51; i++) {
        const domain = `acme-${String(i).padStart(2, '0')}.example`
        await running.service.admin.createTenant({ domain })
      }
      const viewer = await running.logIn({ role: 'viewer' })
      const first = await viewer.get('/console/tenants?search=acme')
      expect(first.html).toContain('acme-49.example')
      expect(first.html).not.toContain('acme-50.example')
      const next = /href="([^"]+)">Next page/.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
      const second = await viewer.get(next)
      expect(second.html).toContain('acme-50.example')
      expect(second.html).not.toContain('acme-49.example')
      expect(second.html).not.toContain('Next page')
    })
  },
)
