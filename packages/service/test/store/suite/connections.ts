import { describe, expect, test } from 'vitest'
import type { Open } from '../data-store-suite.ts'
import { aConnection, anAudit, aTenant } from '../records.ts'
import { deleteWhole } from './deletions.ts'

export function describeConnections(open: Open): void {
  describe('connections', () => {
    async function withTenant() {
      const store = await open()
      const tenant = aTenant()
      const other = aTenant()
      await store.tenants.insert(tenant, anAudit('create'))
      await store.tenants.insert(other, anAudit('create'))
      return { store, tenant, other }
    }

    test('a connection reads as it was inserted, in a list in the order of creation', async () => {
      const { store, tenant, other } = await withTenant()
      const older = aConnection(tenant.id, { id: 'con_z' })
      const newer = aConnection(tenant.id, { id: 'con_a', apple: undefined })
      for (const one of [newer, older]) {
        expect(await store.connections.insert(one, anAudit('create'))).toEqual({
          kind: 'written',
          record: one,
        })
      }
      expect(await store.connections.list(tenant.id)).toEqual([older, newer])
      expect(await store.connections.get(tenant.id, newer.id)).toEqual(newer)
      expect(await store.connections.list(other.id)).toEqual([])
      expect(await store.connections.get(other.id, newer.id)).toBeUndefined()
    })

    test('of inserts at once, each is checked against those before it', async () => {
      const { store, tenant, other } = await withTenant()
      await store.connections.insert(aConnection(other.id), anAudit('create'))
      const seen: number[] = []
      const check = (existing: readonly unknown[]) => void seen.push(existing.length)
      await Promise.all(
        [1, 2, 3].map(() =>
          store.connections.insert(aConnection(tenant.id), anAudit('create'), check),
        ),
      )
      expect(seen).toEqual([0, 1, 2])
    })

    test('a connection of a tenant that does not exist is an orphan', async () => {
      const { store } = await withTenant()
      expect(await store.connections.insert(aConnection('ten_x'), anAudit('create'))).toEqual({
        kind: 'missing',
      })
      expect(await store.connections.list('ten_x')).toEqual([])
    })

    test('a tenant has one connection of a name; another tenant may have its own', async () => {
      const { store, tenant, other } = await withTenant()
      const one = aConnection(tenant.id, { name: 'Google' })
      const two = aConnection(tenant.id, { name: 'GitLab' })
      await store.connections.insert(one, anAudit('create'))
      await store.connections.insert(two, anAudit('create'))
      const second = aConnection(tenant.id, { name: 'Google' })
      expect(await store.connections.insert(second, anAudit('create'))).toEqual({
        kind: 'duplicate',
      })
      const rename = (to: string) =>
        store.connections.update(
          tenant.id,
          two.id,
          (current) => ({ ...current, name: to }),
          anAudit('update'),
        )
      expect(await rename('Google')).toEqual({ kind: 'duplicate' })
      const renamed = { ...two, name: 'Work' }
      expect(await rename('Work')).toEqual({ kind: 'written', record: renamed })
      expect(await store.connections.list(tenant.id)).toEqual([one, renamed])
      const elsewhere = aConnection(other.id, { name: 'Google' })
      expect(await store.connections.insert(elsewhere, anAudit('create'))).toMatchObject({
        kind: 'written',
      })
    })

    test('an update or a deletion reaches the connections of its own tenant alone', async () => {
      const { store, tenant, other } = await withTenant()
      const connection = aConnection(tenant.id)
      await store.connections.insert(connection, anAudit('create'))
      const update = (tenantId: string) =>
        store.connections.update(
          tenantId,
          connection.id,
          (current) => ({ ...current, enabled: false }),
          anAudit('update'),
        )
      const remove = (tenantId: string) =>
        store.connections.delete(tenantId, connection.id, anAudit('delete'))

      expect(await update(other.id)).toEqual({ kind: 'missing' })
      expect(await remove(other.id)).toEqual({ kind: 'missing' })
      expect(await store.connections.get(tenant.id, connection.id)).toEqual(connection)
      const disabled = { ...connection, enabled: false }
      expect(await update(tenant.id)).toEqual({ kind: 'written', record: disabled })
      expect(await remove(tenant.id)).toEqual({ kind: 'written', record: disabled })
      expect(await remove(tenant.id)).toEqual({ kind: 'missing' })
      expect(await store.connections.list(tenant.id)).toEqual([])
    })

    test('the connections of a tenant go with it', async () => {
      const { store, tenant } = await withTenant()
      const connection = aConnection(tenant.id)
      await store.connections.insert(connection, anAudit('create'))
      await deleteWhole(store, tenant.id)
      expect(await store.connections.get(tenant.id, connection.id)).toBeUndefined()
    })
  })
}
