import { describe, expect, test } from 'vitest'
import type { Open } from '../data-store-suite.ts'
import { anApplication, anAudit, aTenant } from '../records.ts'

export function describeApplications(open: Open): void {
  describe('applications', () => {
    async function withTenant() {
      const store = await open()
      const tenant = aTenant()
      const other = aTenant()
      await store.tenants.insert(tenant, anAudit('create'))
      await store.tenants.insert(other, anAudit('create'))
      return { store, tenant, other }
    }

    test('an application reads as it was inserted', async () => {
      const { store, tenant } = await withTenant()
      const application = anApplication(tenant.id)
      const plain = anApplication(tenant.id, { loginUrl: '', logoutUrls: [], redirectUrls: [] })
      expect(await store.applications.insert(application, anAudit('create'))).toMatchObject({
        kind: 'written',
      })
      expect(await store.applications.insert(plain, anAudit('create'))).toMatchObject({
        kind: 'written',
      })
      expect(await store.applications.get(tenant.id, application.id)).toEqual(application)
      expect(await store.applications.get(tenant.id, plain.id)).toEqual(plain)
    })

    test('a write sees the applications with the same metadata, the earliest first', async () => {
      const { store, tenant, other } = await withTenant()
      const alike = { member: 'an_api', value: 'https://"a".example/%_' }
      const metadata = { team: 'web', [alike.member]: alike.value }
      const more = { ...metadata, [alike.member]: `${alike.value}x` }
      for (const one of [
        anApplication(other.id, { metadata }),
        anApplication(tenant.id, { metadata: { team: alike.value } }),
        anApplication(tenant.id, { metadata: more }),
      ])
        await store.applications.insert(one, anAudit('create'))
      const seen: string[][] = []
      const note = (found: readonly { id: string }[]) => void seen.push(found.map(({ id }) => id))
      const [one, two] = [1, 2].map(() => anApplication(tenant.id, { metadata }))
      if (!one || !two) throw new Error('There are no applications.')
      await Promise.all(
        [one, two].map((application) =>
          store.applications.insert(
            ...[
              application,
              anAudit('create'),
              (_: unknown, found: readonly { id: string }[]) => note(found),
            ],
            alike,
          ),
        ),
      )
      await store.applications.update(
        ...[tenant.id, two.id],
        (last, _, found) => {
          note(found)
          return last
        },
        anAudit('update'),
        alike,
      )
      expect(seen).toEqual([[], [one.id], [one.id, two.id]])
    })

    test('an application of a tenant that does not exist is an orphan', async () => {
      const { store } = await withTenant()
      const orphan = anApplication('ten_x')
      expect(await store.applications.insert(orphan, anAudit('create'))).toEqual({
        kind: 'missing',
      })
      expect(await store.applications.get('ten_x', orphan.id)).toBeUndefined()
    })

    test('an application is found under its own tenant alone', async () => {
      const { store, tenant, other } = await withTenant()
      const application = anApplication(tenant.id)
      await store.applications.insert(application, anAudit('create'))
      const { id } = application
      expect(await store.applications.get(other.id, id)).toBeUndefined()
      const update = store.applications.update(other.id, id, (a) => ({ ...a }), anAudit('update'))
      expect(await update).toEqual({ kind: 'missing' })
      expect(await store.applications.delete(other.id, id, anAudit('delete'))).toEqual({
        kind: 'missing',
      })
      expect(await store.applications.get(tenant.id, id)).toEqual(application)
    })

    test('an update answers with the new version, and the new one is read from then on', async () => {
      const { store, tenant } = await withTenant()
      const before = anApplication(tenant.id)
      await store.applications.insert(before, anAudit('create'))
      const after = { ...before, name: 'New', sealedSecret: 'v1.new', redirectUrls: [] }
      const { id } = before
      expect(
        await store.applications.update(tenant.id, id, () => after, anAudit('update')),
      ).toEqual({ kind: 'written', record: after })
      expect(await store.applications.get(tenant.id, id)).toEqual(after)
    })

    test('a deletion answers with the last version, once', async () => {
      const { store, tenant } = await withTenant()
      const application = anApplication(tenant.id)
      await store.applications.insert(application, anAudit('create'))
      const { id } = application
      expect(await store.applications.delete(tenant.id, id, anAudit('delete'))).toEqual({
        kind: 'written',
        record: application,
      })
      expect(await store.applications.delete(tenant.id, id, anAudit('delete'))).toEqual({
        kind: 'missing',
      })
      expect(await store.applications.get(tenant.id, id)).toBeUndefined()
    })
  })
}
