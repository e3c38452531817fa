import { describe, expect, test } from 'vitest'
import type { Account } from '../../../src/store/ports.ts'
import type { LegacyPassword, User } from '../../../src/store/records.ts'
import type { Open } from '../data-store-suite.ts'
import { aCredential, anAudit, aTenant, aUser } from '../records.ts'

const legacy: LegacyPassword = {
  scheme: 'django',
  verifier: '{"kind":"pbkdf2"}',
  sealedKey: undefined,
  kind: 'pbkdf2-sha256',
  work: 1_000,
}

export function describeLegacyPasswords(open: Open): void {
  describe('legacy passwords', () => {
    async function withUsers(...passwords: (LegacyPassword | undefined)[]) {
      const store = await open()
      const tenant = aTenant()
      await store.tenants.insert(tenant, anAudit('create'))
      const users = passwords.map(() => aUser(tenant.id))
      const batch = users.map((user, i) => ({
        ...{ user, credential: undefined, legacyPassword: passwords[i] },
        audit: anAudit('user.create', { target: user.id }),
      }))
      expect(await store.users.insertMany(tenant.id, batch)).toHaveLength(users.length)
      const legacyOf = ({ id }: User) => store.legacyPasswords.get(tenant.id, id)
      return { store, tenant, users, legacyOf, first: users[0] as User }
    }

    test('they come with their users, and a user without one has none', async () => {
      const sealed = { ...legacy, sealedKey: 'v1.x=key', work: 2 ** 40 }
      const other = { ...legacy, kind: 'argon2', work: 1 }
      const all = [legacy, undefined, sealed, other]
      const { store, tenant, users, legacyOf } = await withUsers(...all)
      const found = await Promise.all(users.map(legacyOf))
      expect(found).toEqual(all)
      const dearest = (id: string, ...kinds: string[]) => store.legacyPasswords.dearest(id, kinds)
      const both = await dearest(tenant.id, 'argon2', 'phpass', 'pbkdf2-sha256')
      expect(both).toHaveLength(2)
      expect(both).toEqual(expect.arrayContaining([sealed, other]))
      expect(await dearest('ten_other', 'argon2')).toEqual([])
      const account = await store.users.getAccount(tenant.id, users[0]?.id ?? '')
      expect(account?.credentials).toEqual([])
    })

    test('whoever inserts a password deletes it, and no other credential does', async () => {
      const { store, tenant, users, legacyOf } = await withUsers(legacy, legacy, legacy)
      const [inserted, changed, left] = users as [User, User, User]
      await store.credentials.insert(aCredential(inserted), anAudit('create'))
      await store.users.updateAccount(
        ...[tenant.id, changed.id],
        (account) => ({ ...account, credentials: [aCredential(changed)] }),
        anAudit('create'),
      )
      const { password: _, ...record } = aCredential(left)
      const factor = { ...record, kind: 'totp_email', id: 'totp_email', state: {} } as const
      await store.credentials.insert(factor, anAudit('create'))
      expect(await Promise.all(users.map(legacyOf))).toEqual([undefined, undefined, legacy])
    })

    test('a change of the account reads it if asked to, and changes or deletes it', async () => {
      const { store, tenant, first, legacyOf } = await withUsers(legacy)
      const seen: Account['legacyPassword'][] = []
      const update = (change: (account: Account) => Account, reads?: 'legacy_password') =>
        store.users.updateAccount(
          ...[tenant.id, first.id],
          (account) => {
            seen.push(account.legacyPassword)
            return change(account)
          },
          anAudit('update'),
          reads,
        )
      const renamed = ({ user, credentials }: Account) => ({
        user: { ...user, profile: { name: 'Ada' } },
        credentials,
      })
      await update(renamed)
      await update(renamed, 'legacy_password')
      const other = { ...legacy, sealedKey: 'v1.y=key' }
      await update((account) => ({ ...account, legacyPassword: other }), 'legacy_password')
      expect(await legacyOf(first)).toEqual(other)
      await update((account) => ({ ...account, legacyPassword: null }))
      expect(await legacyOf(first)).toBeUndefined()
      expect(seen).toEqual([undefined, legacy, legacy, undefined])
    })

    test('a change of the account gives it to a user who has none, or a password', async () => {
      const { store, tenant, users, legacyOf } = await withUsers(undefined, undefined)
      const [bare, other] = users as [User, User]
      await store.credentials.insert(aCredential(other), anAudit('create'))
      for (const { id } of users) {
        await store.users.updateAccount(
          ...[tenant.id, id],
          (account) => ({ ...account, credentials: [], legacyPassword: legacy }),
          anAudit('update'),
          'legacy_password',
        )
      }
      expect(await Promise.all([bare, other].map(legacyOf))).toEqual([legacy, legacy])
      expect(await store.credentials.get(tenant.id, other.id, 'password')).toBeUndefined()
    })

    test('of changes at once that find it, one replaces it', async () => {
      const { store, tenant, first } = await withUsers(legacy)
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, () =>
          store.users.updateAccount(
            ...[tenant.id, first.id],
            (account) =>
              account.legacyPassword
                ? { ...account, credentials: [aCredential(first)], legacyPassword: null }
                : account,
            anAudit('upgrade'),
            'legacy_password',
          ),
        ),
      )
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual([
        ...Array.from({ length: 7 }, () => 'unchanged'),
        'written',
      ])
    })

    test('they go with their users and with the tenant', async () => {
      const { store, tenant, users, legacyOf } = await withUsers(legacy, legacy)
      const [deleted, erased] = users as [User, User]
      await store.users.delete(tenant.id, deleted.id, anAudit('delete'))
      expect(await legacyOf(deleted)).toBeUndefined()
      await store.tenants.delete(tenant.id, anAudit('delete'))
      while (await store.tenants.erase(tenant.id, 10, anAudit('erase')));
      expect(await legacyOf(erased)).toBeUndefined()
    })

    test('those that are sealed under another key are listed in pages', async () => {
      const sealedBy = (key: string) => ({ ...legacy, sealedKey: `v1.x=${key}` })
      const { store, users } = await withUsers(sealedBy('a'), sealedBy('b'), legacy, sealedBy('a'))
      const found: string[] = []
      for (let after: { tenantId: string; userId: string } | undefined; ; ) {
        const [next] = await store.legacyPasswords.listSealed('b', after, 1)
        if (!next) break
        found.push(next.userId)
        after = next
      }
      expect(found).toEqual([users[0]?.id, users[3]?.id].sort())
    })
  })
}
