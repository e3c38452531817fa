import { expect, test } from 'vitest'
import { consoleRoutes, tenantNavigation } from '../../src/console/routes/index.ts'
import { startConsole } from './support.ts'

const linksOf = (html: string) => {
  const [, nav = ''] =
    /<nav class="tabs" aria-label="Pages of the tenant">(.*?)<\/nav>/s.exec(html) ?? []
  return [...nav.matchAll(/<a href="([^"]+)"( aria-current="(\w+)")?>/g)].map(
    ([, href, , current]) => ({ href, current }),
  )
}

test('every page of a tenant links to the others, and marks the one that is open', async () => {
  await using running = await startConsole()
  const { admin } = running.service
  const tenant = await admin.createTenant({ domain: 'acme.example' })
  const base = `/console/t/${tenant.id}`
  const viewer = await running.logIn({ role: 'viewer' })
  const expected = tenantNavigation.map(({ path }) => base + path)
  expect(expected).toContain(`${base}/users`)
  for (const open of expected) {
    const links = linksOf((await viewer.get(open)).html)
    expect(links.map(({ href }) => href)).toEqual(expected)
    expect(links.filter(({ current }) => current)).toEqual([{ href: open, current: 'page' }])
  }
})

test('a subpage marks its parent in the navigation', async () => {
  await using running = await startConsole()
  const { admin } = running.service
  const tenant = await admin.createTenant({ domain: 'acme.example' })
  await admin.seed({
    tenants: [
      { settings: { domain: 'acme.example' }, users: [{ profile: { email: 'eve@example.com' } }] },
    ],
  })
  const [made] = await admin.audit({ tenantId: tenant.id, limit: 1 })
  const viewer = await running.logIn({ role: 'viewer' })
  const users = `/console/t/${tenant.id}/users`
  const links = linksOf((await viewer.get(`${users}/${made?.target}`)).html)
  expect(links.filter(({ current }) => current)).toEqual([{ href: users, current: 'true' }])
})

test('the navigation has each top-level page of a tenant', () => {
  const own = consoleRoutes
    .filter(
      ({ method, path }) => method === 'GET' && /^\/console\/t\/:tenant(\/[\w-]+)?$/.test(path),
    )
    .map(({ path }) => path.replace('/console/t/:tenant', ''))
    // A question of the overview.
    .filter((path) => path !== '/delete')
  expect(own.sort()).toEqual(tenantNavigation.map(({ path }) => path).sort())
})
