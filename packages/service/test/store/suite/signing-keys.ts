import { describe, expect, test } from 'vitest'
import type { Open } from '../data-store-suite.ts'
import { anAudit, aSigningKey, aTenant } from '../records.ts'

export function describeSigningKeys(open: Open): void {
  describe('signing keys', () => {
    async function withTenant() {
      const store = await open()
      const tenant = aTenant()
      const other = aTenant()
      await store.tenants.insert(tenant, anAudit('create'))
      await store.tenants.insert(other, anAudit('create'))
      return { store, tenant, other }
    }

    test('the keys of a tenant are listed in the order of creation', async () => {
      const { store, tenant, other } = await withTenant()
      const older = aSigningKey(tenant.id, { id: 'z' })
      const newer = aSigningKey(tenant.id, { id: 'a' })
      expect(await store.signingKeys.insert(older, anAudit('create'))).toMatchObject({
        kind: 'written',
      })
      expect(await store.signingKeys.insert(newer, anAudit('create'))).toMatchObject({
        kind: 'written',
      })
      expect(await store.signingKeys.list(tenant.id)).toEqual([older, newer])
      expect(await store.signingKeys.list(other.id)).toEqual([])
      expect(await store.signingKeys.list('ten_x')).toEqual([])
    })

    test('a key of a tenant that does not exist is an orphan', async () => {
      const { store } = await withTenant()
      expect(await store.signingKeys.insert(aSigningKey('ten_x'), anAudit('create'))).toEqual({
        kind: 'missing',
      })
    })

    test('a tenant has one key of an id; another tenant may have its own', async () => {
      const { store, tenant, other } = await withTenant()
      const key = aSigningKey(tenant.id)
      await store.signingKeys.insert(key, anAudit('create'))
      const second = aSigningKey(tenant.id, { id: key.id })
      expect(await store.signingKeys.insert(second, anAudit('create'))).toEqual({
        kind: 'duplicate',
      })
      expect(await store.signingKeys.list(tenant.id)).toEqual([key])
      const elsewhere = aSigningKey(other.id, { id: key.id })
      expect(await store.signingKeys.insert(elsewhere, anAudit('create'))).toMatchObject({
        kind: 'written',
      })
    })

    test('a deletion tells whether there was a key', async () => {
      const { store, tenant, other } = await withTenant()
      const key = aSigningKey(tenant.id)
      const stays = aSigningKey(tenant.id)
      await store.signingKeys.insert(key, anAudit('create'))
      await store.signingKeys.insert(stays, anAudit('create'))
      expect(await store.signingKeys.delete(other.id, key.id, anAudit('delete'))).toEqual({
        kind: 'missing',
      })
      expect(await store.signingKeys.delete(tenant.id, key.id, anAudit('delete'))).toEqual({
        kind: 'written',
        record: key,
      })
      expect(await store.signingKeys.delete(tenant.id, key.id, anAudit('delete'))).toEqual({
        kind: 'missing',
      })
      expect(await store.signingKeys.list(tenant.id)).toEqual([stays])
    })
  })
}
