import { describe, expect, test } from 'vitest'
import type { Tenant } from '../../../src/store/records.ts'
import { SYSTEM_TENANT_ID } from '../../../src/store/system-tenant.ts'
import type { SearchPage } from '../../../src/store/user-search.ts'
import type { Open } from '../data-store-suite.ts'
import {
  aCredential,
  anApplication,
  anAudit,
  aSigningKey,
  aTenant,
  aUser,
  settings,
} from '../records.ts'
import { deleteWhole } from './deletions.ts'

export function describeTenants(open: Open): void {
  describe('tenants', () => {
    test('a tenant reads as it was inserted, by id and by domain', async () => {
      const store = await open()
      const tenant = aTenant()
      expect(await store.tenants.insert(tenant, anAudit('create'))).toMatchObject({
        kind: 'written',
      })
      expect(await store.tenants.get(tenant.id)).toEqual(tenant)
      expect(await store.tenants.findByDomain(tenant.settings.domain)).toEqual(tenant)
    })

    test('the image of a tenant is written with it, takes the place of the one before, and goes with the tenant', async () => {
      const store = await open()
      const [tenant, other] = [aTenant(), aTenant()]
      for (const one of [tenant, other]) await store.tenants.insert(one, anAudit('create'))
      const write = (id: string, bytes: Buffer | undefined) => {
        const hash = bytes?.toString('hex') ?? ''
        const logo = bytes && { hash, type: 'image/png' as const, width: 1, height: 1, bytes: 3 }
        const change = (last: Tenant) => ({ ...last, updatedAt: last.updatedAt + 1, logo })
        return store.tenants.update(id, change, anAudit('update'), { logo: { bytes } })
      }
      const [first, second] = [Buffer.from([0, 255, 10]), Buffer.alloc(131_072, 7)]
      expect(await store.tenants.logo(tenant.id)).toBeUndefined()
      await write(other.id, first)
      await write(tenant.id, first)
      expect((await write(tenant.id, second)).kind).toBe('written')
      const hash = second.toString('hex')
      expect(await store.tenants.logo(tenant.id)).toEqual({ hash, bytes: second })
      expect((await store.tenants.get(tenant.id))?.logo?.hash).toBe(hash)
      // Any other change leaves it, and one that is refused changes neither.
      await store.tenants.update(tenant.id, (last) => ({ ...last, name: 'x' }), anAudit('update'))
      const refused = store.tenants.update(
        tenant.id,
        () => {
          throw new Error('refused')
        },
        anAudit('update'),
        { logo: { bytes: undefined } },
      )
      await expect(refused).rejects.toThrow('refused')
      expect((await store.tenants.logo(tenant.id))?.hash).toBe(hash)
      await deleteWhole(store, tenant.id)
      expect(await store.tenants.logo(tenant.id)).toBeUndefined()
      await write(other.id, undefined)
      expect(await store.tenants.logo(other.id)).toBeUndefined()
    })

    test('a tenant that does not exist is undefined, in updates missing', async () => {
      const store = await open()
      expect(await store.tenants.get('ten_x')).toBeUndefined()
      expect(await store.tenants.findByDomain('x.example.com')).toBeUndefined()
      expect(await store.tenants.update('ten_x', (t) => ({ ...t }), anAudit('update'))).toEqual({
        kind: 'missing',
      })
      expect(await store.tenants.delete('ten_x', anAudit('delete'))).toEqual({ kind: 'missing' })
    })

    test('a tenant is found by the beginning of its domain or name, once, page by page', async () => {
      const store = await open()
      const named: [domain: string, name: string][] = [
        ['acme.example', 'Acme'],
        ['shop.example', 'ACME shop'],
        ['acorn.example', 'Ökologie'],
        ['zeta.example', 'a%c_'],
        ['acme-2.example', ''],
        ['b.example', 'The Acme'],
      ]
      const ids = new Map<string, string>()
      for (const [domain, name] of named) {
        const tenant = aTenant({ name, settings: settings(domain) })
        ids.set(domain, tenant.id)
        await store.tenants.insert(tenant, anAudit('create'))
      }
      async function found(search: string, limit: number, reach: 'all' | string[] = 'all') {
        const domains: string[] = []
        for (let after: SearchPage['after']; ; ) {
          const { items, next } = await store.tenants.search(reach, search, { after, limit })
          expect(items.length).toBeLessThanOrEqual(limit)
          domains.push(...items.map((one) => one.settings.domain))
          if (!next) return domains
          after = next
        }
      }
      for (const limit of [1, 2, 3, 50]) {
        expect(await found('AC', limit)).toEqual([
          'acme.example',
          'shop.example',
          'acme-2.example',
          'acorn.example',
        ])
        expect(await found('acme ', limit)).toEqual(['shop.example'])
        expect(await found('Ök', limit)).toEqual(['acorn.example'])
        expect(await found('a%', limit)).toEqual(['zeta.example'])
        expect(await found('_', limit)).toEqual([])
        const own = [ids.get('shop.example') ?? '', 'ten_none']
        expect(await found('ac', limit, own)).toEqual(['shop.example'])
        expect(await found('ac', limit, [])).toEqual([])
      }
      const system = aTenant({ id: SYSTEM_TENANT_ID, settings: settings('acsys') })
      await store.tenants.insert(system, anAudit('create'))
      expect(await found('acs', 2)).toEqual([])
      await store.tenants.delete(ids.get('shop.example') ?? '', anAudit('delete'))
      expect(await found('acme', 2)).toEqual(['acme.example', 'acme-2.example'])
      expect(await found('ten_', 2)).toEqual([])
    })

    test('a deleted tenant is not found by its name', async () => {
      const store = await open()
      const tenant = aTenant({ name: 'Acme' })
      await store.tenants.insert(tenant, anAudit('create'))
      const page = { after: undefined, limit: 10 }
      const find = async () => (await store.tenants.search('all', 'acm', page)).items
      expect(await find()).toHaveLength(1)
      await store.tenants.delete(tenant.id, anAudit('delete'))
      expect(await find()).toEqual([])
    })

    test('a domain belongs to one tenant', async () => {
      const store = await open()
      const first = aTenant()
      const other = aTenant()
      await store.tenants.insert(first, anAudit('create'))
      await store.tenants.insert(other, anAudit('create'))

      const copycat = aTenant({ settings: settings(first.settings.domain) })
      expect(await store.tenants.insert(copycat, anAudit('create'))).toEqual({ kind: 'duplicate' })
      expect(await store.tenants.get(copycat.id)).toBeUndefined()
      const taken = { ...other, settings: settings(first.settings.domain) }
      expect(await store.tenants.update(other.id, () => taken, anAudit('update'))).toEqual({
        kind: 'duplicate',
      })
      expect(await store.tenants.get(other.id)).toEqual(other)
      expect(await store.tenants.findByDomain(first.settings.domain)).toEqual(first)
      expect((await store.tenants.list('all', { after: undefined, limit: 9 })).total).toBe(2)
    })

    test('an update answers with the new version, and the new one is read from then on', async () => {
      const store = await open()
      const before = aTenant()
      await store.tenants.insert(before, anAudit('create'))
      const after = { ...before, name: 'New', settings: settings('new.example.com') }
      expect(await store.tenants.update(before.id, () => after, anAudit('update'))).toEqual({
        kind: 'written',
        record: after,
      })
      expect(await store.tenants.get(before.id)).toEqual(after)
      expect(await store.tenants.findByDomain('new.example.com')).toEqual(after)
      expect(await store.tenants.findByDomain(before.settings.domain)).toBeUndefined()
    })

    test('a domain that was given up or whose tenant was deleted is free again', async () => {
      const store = await open()
      const tenant = aTenant()
      const { domain } = tenant.settings
      await store.tenants.insert(tenant, anAudit('create'))
      const moved = { ...tenant, settings: settings('moved.example.com') }
      await store.tenants.update(tenant.id, () => moved, anAudit('update'))
      const second = aTenant({ settings: settings(domain) })
      expect(await store.tenants.insert(second, anAudit('create'))).toMatchObject({
        kind: 'written',
      })

      await store.tenants.delete(second.id, anAudit('delete'))
      const third = aTenant({ settings: settings(domain) })
      expect(await store.tenants.insert(third, anAudit('create'))).toMatchObject({
        kind: 'written',
      })
    })

    test('a deleted tenant takes everything below it along', async () => {
      const store = await open()
      const tenant = aTenant()
      const neighbor = aTenant()
      const user = aUser(tenant.id)
      const stays = aUser(neighbor.id)
      const application = anApplication(tenant.id)
      await store.tenants.insert(tenant, anAudit('create'))
      await store.tenants.insert(neighbor, anAudit('create'))
      await store.users.insert(user, anAudit('create'), aCredential(user))
      await store.users.insert(stays, anAudit('create'), aCredential(stays))
      await store.applications.insert(application, anAudit('create'))
      await store.signingKeys.insert(aSigningKey(tenant.id), anAudit('create'))

      expect(await store.tenants.delete(tenant.id, anAudit('delete'))).toEqual({
        kind: 'written',
        record: tenant,
      })
      while (await store.tenants.erase(tenant.id, 100, anAudit('erase')));

      const page = { after: undefined, limit: 9 }
      expect(await store.tenants.get(tenant.id)).toBeUndefined()
      expect(await store.users.get(tenant.id, user.id)).toBeUndefined()
      expect(await store.users.findByEmail(tenant.id, user.emailKey)).toBeUndefined()
      expect(await store.users.list(tenant.id, page)).toBeUndefined()
      expect(await store.credentials.get(tenant.id, user.id, 'password')).toBeUndefined()
      expect(await store.credentials.list(tenant.id, user.id, page)).toBeUndefined()
      expect(await store.applications.get(tenant.id, application.id)).toBeUndefined()
      expect(await store.applications.list(tenant.id, page)).toBeUndefined()
      expect(await store.signingKeys.list(tenant.id)).toEqual([])
      expect(await store.users.get(neighbor.id, stays.id)).toEqual(stays)
      expect(await store.credentials.get(neighbor.id, stays.id, 'password')).toBeDefined()
    })

    test('a tenant that takes the id of a deleted one begins empty', async () => {
      const store = await open()
      const tenant = aTenant()
      await store.tenants.insert(tenant, anAudit('create'))
      await store.users.insert(aUser(tenant.id), anAudit('create'))
      await deleteWhole(store, tenant.id)
      await store.tenants.insert(tenant, anAudit('create'))
      const page = { after: undefined, limit: 9 }
      expect(await store.users.list(tenant.id, page)).toEqual({ total: 0, items: [], more: false })
    })

    test('a list holds the tenants within reach and counts no others', async () => {
      const store = await open()
      const tenants = [aTenant(), aTenant(), aTenant(), aTenant()] as const
      for (const tenant of tenants) await store.tenants.insert(tenant, anAudit('create'))
      const [first, , third, last] = tenants
      const page = { after: undefined, limit: 2 }
      expect(await store.tenants.list('all', page)).toEqual({
        total: 4,
        items: tenants.slice(0, 2),
        more: true,
      })
      const reach = [last.id, first.id, third.id, 'ten_unknown']
      expect(await store.tenants.list(reach, page)).toEqual({
        total: 3,
        items: [first, third],
        more: true,
      })
      expect(await store.tenants.list(reach, { after: third.id, limit: 2 })).toEqual({
        total: 3,
        items: [last],
        more: false,
      })
      expect(await store.tenants.list([], page)).toEqual({ total: 0, items: [], more: false })
    })
  })
}
