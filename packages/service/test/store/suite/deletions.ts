import { describe, expect, test } from 'vitest'
import type { DataStore } from '../../../src/store/ports.ts'
import type { Open } from '../data-store-suite.ts'
import {
  aCredential,
  anApiKey,
  anApplication,
  anAudit,
  aSigningKey,
  aTenant,
  aUser,
  settings,
} from '../records.ts'

/** Deletes a tenant with all its rows. */
export async function deleteWhole(store: DataStore, id: string): Promise<void> {
  await store.tenants.delete(id, anAudit('delete'))
  while (await store.tenants.erase(id, 100, anAudit('erase')));
}

const page = { after: undefined, limit: 9 }

export function describeDeletions(open: Open): void {
  describe('the deletion of a tenant', () => {
    async function withUsers(count: number) {
      const store = await open()
      const tenant = aTenant()
      await store.tenants.insert(tenant, anAudit('create'))
      const users = Array.from({ length: count }, () => aUser(tenant.id))
      for (const user of users) await store.users.insert(user, anAudit('create'), aCredential(user))
      return { store, tenant, users }
    }

    test('hides the tenant at once: nothing finds it, no list counts it, no key reaches it', async () => {
      const { store, tenant } = await withUsers(3)
      const neighbor = aTenant()
      await store.tenants.insert(neighbor, anAudit('create'))
      const key = anApiKey({ reach: 'all' })
      const own = anApiKey({ reach: [tenant.id, neighbor.id] })
      for (const one of [key, own]) await store.apiKeys.insert(one, anAudit('create'))

      await store.tenants.delete(tenant.id, anAudit('delete'))

      expect(await store.tenants.get(tenant.id)).toBeUndefined()
      expect(await store.tenants.findByDomain(tenant.settings.domain)).toBeUndefined()
      const left = { total: 1, items: [neighbor], more: false }
      expect(await store.tenants.list('all', page)).toEqual(left)
      expect(await store.tenants.list([tenant.id, neighbor.id], page)).toEqual(left)
      expect(await store.tenants.delete(tenant.id, anAudit('delete'))).toEqual({ kind: 'missing' })
      const change = store.tenants.update(
        tenant.id,
        (t) => ({ ...t, name: 'x' }),
        anAudit('update'),
      )
      expect(await change).toEqual({ kind: 'missing' })
      const application = anApplication(tenant.id)
      expect(await store.applications.insert(application, anAudit('create'))).toEqual({
        kind: 'missing',
      })
      const named = anApiKey({ reach: [tenant.id] })
      expect(await store.apiKeys.insert(named, anAudit('create'))).toEqual({ kind: 'missing' })
      expect((await store.apiKeys.findByHash(own.hash))?.reach).toEqual([neighbor.id])
      const except = (await store.apiKeys.findByHash(key.hash))?.except ?? []
      const deletions = await store.tenants.deletions()
      expect(except).toEqual(deletions.map(({ id }) => id))
    })

    test('erases its rows step by step, and goes on where it stopped', async () => {
      const { store, tenant, users } = await withUsers(5)
      const neighbor = aTenant()
      await store.tenants.insert(neighbor, anAudit('create'))
      const stays = aUser(neighbor.id)
      await store.users.insert(stays, anAudit('create'), aCredential(stays))
      await store.applications.insert(anApplication(tenant.id), anAudit('create'))
      await store.signingKeys.insert(aSigningKey(tenant.id), anAudit('create'))
      const audit = anAudit('delete')
      await store.tenants.delete(tenant.id, audit)
      const erase = (id = tenant.id) => store.tenants.erase(id, 2, anAudit('erase'))
      const deletion = { id: tenant.id, name: tenant.name, domain: tenant.settings.domain }

      // A store without rows has erased them by then.
      for (const left of [5, 3, 1]) {
        const [found] = await store.tenants.deletions()
        if (found) expect(found).toEqual({ ...deletion, deletedAt: audit.at, users: 5, left })
        expect(await erase()).toBe(found !== undefined && left > 1)
      }
      expect(await store.tenants.deletions()).toEqual([])
      expect(await erase()).toBe(false)
      expect(await erase(neighbor.id)).toBe(false)
      for (const user of users) {
        expect(await store.users.get(tenant.id, user.id)).toBeUndefined()
        expect(await store.credentials.get(tenant.id, user.id, 'password')).toBeUndefined()
      }
      expect(await store.users.list(tenant.id, page)).toBeUndefined()
      expect(await store.applications.list(tenant.id, page)).toBeUndefined()
      expect(await store.signingKeys.list(tenant.id)).toEqual([])
      expect(await store.users.list(neighbor.id, page)).toMatchObject({ total: 1, items: [stays] })
    })

    test('leaves its domain to a new tenant at once, and to no other', async () => {
      const { store, tenant } = await withUsers(1)
      const other = aTenant()
      await store.tenants.insert(other, anAudit('create'))
      const { domain } = tenant.settings
      const at = anAudit('delete').at
      await store.tenants.delete(tenant.id, anAudit('delete'), at + 1e12)
      const move = store.tenants.update(
        other.id,
        (t) => ({ ...t, settings: settings(domain) }),
        anAudit('update'),
      )
      expect(await move).toEqual({ kind: 'duplicate' })
      const next = aTenant({ settings: settings(domain) })
      expect(await store.tenants.insert(next, anAudit('create'))).toMatchObject({ kind: 'written' })
      while (await store.tenants.erase(tenant.id, 1, anAudit('erase')));
      expect(await store.tenants.findByDomain(domain)).toEqual(next)
      expect((await store.tenants.list('all', page)).total).toBe(2)
    })
  })
}
