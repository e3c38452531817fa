import { describe, expect, test } from 'vitest'
import type { Open } from '../data-store-suite.ts'
import { anApiKey, anAudit, aTenant } from '../records.ts'
import { deleteWhole } from './deletions.ts'

export function describeApiKeys(open: Open): void {
  describe('API keys', () => {
    test('a key reads as it was inserted, by its hash', async () => {
      const store = await open()
      const tenants = [aTenant(), aTenant(), aTenant()] as const
      for (const tenant of tenants) await store.tenants.insert(tenant, anAudit('create'))
      const ofAll = anApiKey()
      const ofSome = anApiKey({
        reach: [tenants[0].id, tenants[2].id],
        expiresAt: 1_900_000_000_000_000,
        lastUsedAt: 1_700_000_000_000_000,
      })
      expect(await store.apiKeys.insert(ofAll, anAudit('create'))).toMatchObject({
        kind: 'written',
      })
      expect(await store.apiKeys.insert(ofSome, anAudit('create'))).toMatchObject({
        kind: 'written',
      })
      expect(await store.apiKeys.findByHash(ofAll.hash)).toEqual(ofAll)
      expect(await store.apiKeys.findByHash(ofSome.hash)).toEqual(ofSome)
      expect(await store.apiKeys.findByHash('unknown')).toBeUndefined()
      expect(await store.apiKeys.findByHash(ofAll.id)).toBeUndefined()
    })

    test('a key that names a tenant that does not exist is an orphan', async () => {
      const store = await open()
      const tenant = aTenant()
      await store.tenants.insert(tenant, anAudit('create'))
      const orphan = anApiKey({ reach: [tenant.id, 'ten_x'] })
      expect(await store.apiKeys.insert(orphan, anAudit('create'))).toEqual({ kind: 'missing' })
      expect(await store.apiKeys.findByHash(orphan.hash)).toBeUndefined()
      expect(await store.apiKeys.list()).toEqual([])
    })

    test('a key does not reach a tenant that was deleted, nor a later one of the same id', async () => {
      const store = await open()
      const gone = aTenant()
      const stays = aTenant()
      await store.tenants.insert(gone, anAudit('create'))
      await store.tenants.insert(stays, anAudit('create'))
      const key = anApiKey({ reach: [gone.id, stays.id] })
      const only = anApiKey({ reach: [gone.id] })
      await store.apiKeys.insert(key, anAudit('create'))
      await store.apiKeys.insert(only, anAudit('create'))

      await deleteWhole(store, gone.id)
      await store.tenants.insert(gone, anAudit('create'))

      expect((await store.apiKeys.findByHash(key.hash))?.reach).toEqual([stays.id])
      expect((await store.apiKeys.findByHash(only.hash))?.reach).toEqual([])
    })

    test('the list holds every key in the order of creation, revoked and expired ones too', async () => {
      const store = await open()
      expect(await store.apiKeys.list()).toEqual([])
      const keys = [anApiKey(), anApiKey({ expiresAt: 1 }), anApiKey({ revokedAt: 1 })]
      for (const key of keys) await store.apiKeys.insert(key, anAudit('create'))
      expect(await store.apiKeys.list()).toEqual(keys)
    })

    test('a key is inserted once', async () => {
      const store = await open()
      const key = anApiKey()
      const inserted = () => store.apiKeys.insert({ ...key, hash: `${made++}` }, anAudit('create'))
      let made = 0
      const outcomes = await Promise.all([inserted(), inserted()])
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['duplicate', 'written'])
      expect(await store.apiKeys.list()).toHaveLength(1)
      expect(await store.audit.list({})).toHaveLength(1)
    })

    test('a revocation answers with the key as it is now; a second one changes nothing', async () => {
      const store = await open()
      const key = anApiKey()
      await store.apiKeys.insert(key, anAudit('create'))
      const revoked = { ...key, revokedAt: 1_800_000_000_000_000 }
      const first = anAudit('revoke', { target: key.id })
      const second = anAudit('revoke', { target: key.id })
      expect(await store.apiKeys.revoke(key.id, revoked.revokedAt, first)).toEqual({
        kind: 'written',
        record: revoked,
      })
      expect(await store.apiKeys.revoke(key.id, revoked.revokedAt + 1, second)).toEqual({
        kind: 'unchanged',
        record: revoked,
      })
      expect(await store.apiKeys.findByHash(key.hash)).toEqual(revoked)
      expect(await store.audit.list({ target: key.id })).toHaveLength(1)
      expect(await store.apiKeys.revoke('key_x', 1, anAudit('revoke'))).toEqual({ kind: 'missing' })
    })

    test('a touch stores only the time of the last use', async () => {
      const store = await open()
      const key = anApiKey()
      const other = anApiKey()
      await store.apiKeys.insert(key, anAudit('create'))
      await store.apiKeys.insert(other, anAudit('create'))
      await store.apiKeys.touch(key.id, 1_800_000_000_000_000)
      await store.apiKeys.touch('key_x', 1_800_000_000_000_000)
      expect(await store.apiKeys.list()).toEqual([
        { ...key, lastUsedAt: 1_800_000_000_000_000 },
        other,
      ])
      expect(await store.audit.list({})).toHaveLength(2)
    })
  })
}
