import { describe, expect, test } from 'vitest'
import type { User } from '../../../src/store/records.ts'
import type { Open } from '../data-store-suite.ts'
import { aCredential, anAudit, aSocialCredential, aTenant, aUser } from '../records.ts'

export function describeUsers(open: Open): void {
  describe('users', () => {
    async function withTenant() {
      const store = await open()
      const tenant = aTenant()
      const other = aTenant()
      await store.tenants.insert(tenant, anAudit('create'))
      await store.tenants.insert(other, anAudit('create'))
      return { store, tenant, other }
    }

    test('a user reads as it was inserted, by id and by address', async () => {
      const { store, tenant } = await withTenant()
      const user = aUser(tenant.id)
      const verified = aUser(tenant.id, {
        disabled: true,
        verifiedAt: 1_700_000_000_123_456,
        sessionsValidAfter: 1_700_000_000_654_321,
        profile: {},
        metadata: {},
      })
      expect(await store.users.insert(user, anAudit('create'))).toMatchObject({ kind: 'written' })
      expect(await store.users.insert(verified, anAudit('create'))).toMatchObject({
        kind: 'written',
      })
      expect(await store.users.get(tenant.id, user.id)).toEqual(user)
      expect(await store.users.get(tenant.id, verified.id)).toEqual(verified)
      expect(await store.users.findByEmail(tenant.id, user.emailKey)).toEqual(user)
    })

    test('a user is read with all credentials, by id and by address', async () => {
      const { store, tenant, other } = await withTenant()
      const [user, bare] = [aUser(tenant.id), aUser(tenant.id, { verifiedAt: undefined })]
      await store.users.insert(user, anAudit('create'))
      await store.users.insert(bare, anAudit('create'))
      const credentials = [aCredential(user), aSocialCredential(user)]
      for (const one of credentials) await store.credentials.insert(one, anAudit('create'))

      const account = await store.users.getAccount(tenant.id, user.id)
      expect(account?.user).toEqual(user)
      expect(account?.credentials).toHaveLength(2)
      expect(account?.credentials).toEqual(expect.arrayContaining(credentials))
      expect(await store.users.findAccount(tenant.id, user.emailKey)).toEqual(account)
      const without = { user: bare, credentials: [] }
      expect(await store.users.getAccount(tenant.id, bare.id)).toEqual(without)
      expect(await store.users.findAccount(tenant.id, bare.emailKey)).toEqual(without)
      expect(await store.users.getAccount(other.id, user.id)).toBeUndefined()
      expect(await store.users.findAccount(other.id, user.emailKey)).toBeUndefined()
    })

    test('a user of a tenant that does not exist is an orphan', async () => {
      const { store } = await withTenant()
      const orphan = aUser('ten_x')
      expect(await store.users.insert(orphan, anAudit('create'), aCredential(orphan))).toEqual({
        kind: 'missing',
      })
      expect(await store.users.get('ten_x', orphan.id)).toBeUndefined()
      expect(await store.credentials.get('ten_x', orphan.id, 'password')).toBeUndefined()
    })

    test('an address belongs to one user of a tenant, and to others elsewhere', async () => {
      const { store, tenant, other } = await withTenant()
      const first = aUser(tenant.id)
      const second = aUser(tenant.id)
      await store.users.insert(first, anAudit('create'))
      await store.users.insert(second, anAudit('create'))

      const { emailKey } = first
      const copycat = aUser(tenant.id, { emailKey })
      const credential = aCredential(copycat)
      expect(await store.users.insert(copycat, anAudit('create'), credential)).toEqual({
        kind: 'duplicate',
      })
      expect(await store.users.get(tenant.id, copycat.id)).toBeUndefined()
      expect(await store.credentials.get(tenant.id, copycat.id, 'password')).toBeUndefined()
      expect(
        await store.users.update(
          tenant.id,
          second.id,
          (user) => ({ ...user, emailKey }),
          anAudit('update'),
        ),
      ).toEqual({ kind: 'duplicate' })
      expect(await store.users.get(tenant.id, second.id)).toEqual(second)
      const elsewhere = aUser(other.id, { emailKey })
      expect(await store.users.insert(elsewhere, anAudit('create'))).toMatchObject({
        kind: 'written',
      })
      expect(await store.users.findByEmail(tenant.id, emailKey)).toEqual(first)
      expect(await store.users.findByEmail(other.id, emailKey)).toEqual(elsewhere)
    })

    test('an id or an address with U+0000 names no user', async () => {
      const { store, tenant } = await withTenant()
      const user = aUser(tenant.id)
      await store.users.insert(user, anAudit('create'))
      const id = `${user.id}\0`
      expect(await store.users.get(tenant.id, id)).toBeUndefined()
      expect(await store.users.findByEmail(tenant.id, `${user.emailKey}\0`)).toBeUndefined()
      const outcome = await store.users.update(tenant.id, id, (same) => same, anAudit('update'))
      expect(outcome).toEqual({ kind: 'missing' })
      expect(await store.users.delete(tenant.id, id, anAudit('delete'))).toEqual({
        kind: 'missing',
      })
      expect((await store.users.list(tenant.id, { limit: 10, after: id }))?.total).toBe(1)
    })

    test('an address that was given up or whose user was deleted is free again', async () => {
      const { store, tenant } = await withTenant()
      const user = aUser(tenant.id)
      const { emailKey } = user
      await store.users.insert(user, anAudit('create'))
      await store.users.update(
        tenant.id,
        user.id,
        (current) => ({ ...current, emailKey: 'moved@example.com' }),
        anAudit('update'),
      )
      const second = aUser(tenant.id, { emailKey })
      expect(await store.users.insert(second, anAudit('create'))).toMatchObject({ kind: 'written' })
      await store.users.delete(tenant.id, second.id, anAudit('delete'))
      expect(await store.users.findByEmail(tenant.id, emailKey)).toBeUndefined()
      expect(
        await store.users.insert(aUser(tenant.id, { emailKey }), anAudit('create')),
      ).toMatchObject({ kind: 'written' })
    })

    test('a sign-up inserts the user and the credential together', async () => {
      const { store, tenant } = await withTenant()
      const user = aUser(tenant.id)
      const credential = aCredential(user)
      expect(await store.users.insert(user, anAudit('create'), credential)).toMatchObject({
        kind: 'written',
      })
      expect(await store.credentials.get(tenant.id, user.id, 'password')).toEqual(credential)
    })

    test('users are inserted together with their credentials, but for those whose address is taken', async () => {
      const { store, tenant, other } = await withTenant()
      const there = aUser(tenant.id)
      await store.users.insert(there, anAudit('create'))
      const row = (user: User, hasPassword = true) => ({
        user,
        credential: hasPassword ? aCredential(user) : undefined,
        audit: anAudit('user.create', { tenantId: tenant.id, target: user.id }),
      })
      const verifiedAt = 1_700_000_000_123_456
      const first = row(aUser(tenant.id, { verifiedAt, profile: { name: 'Kim "K" \\ 🦜' } }))
      const second = row(aUser(tenant.id, { disabled: true, metadata: {} }), false)
      const taken = row(aUser(tenant.id, { emailKey: there.emailKey }))
      const twin = row(aUser(tenant.id, { emailKey: first.user.emailKey }))
      const ids = await store.users.insertMany(tenant.id, [first, second, taken, twin])

      expect([...ids].sort()).toEqual([first.user.id, second.user.id].sort())
      for (const { user, credential } of [first, second]) {
        expect(await store.users.get(tenant.id, user.id)).toEqual(user)
        const stored = await store.credentials.get(tenant.id, user.id, 'password')
        expect(stored).toEqual(credential)
      }
      expect(await store.users.get(tenant.id, taken.user.id)).toBeUndefined()
      expect(await store.credentials.get(tenant.id, twin.user.id, 'password')).toBeUndefined()
      expect((await store.users.list(tenant.id, { after: undefined, limit: 9 }))?.total).toBe(3)
      const written = (await store.audit.list({ tenantId: tenant.id })).map(({ target }) => target)
      expect(written.sort()).toEqual([...ids].sort())
      const emailKeys = [there.emailKey, first.user.emailKey, 'nobody@example.com']
      const known = await store.users.findByEmails(tenant.id, emailKeys)
      expect(known.map(({ id }) => id).sort()).toEqual([there.id, first.user.id].sort())

      expect(await store.users.insertMany(tenant.id, [])).toEqual([])
      const orphan = row(aUser('ten_x'))
      expect(await store.users.insertMany('ten_x', [orphan])).toEqual([])
      expect(await store.users.findByEmails(other.id, emailKeys)).toEqual([])
    })

    test('a user is found under its own tenant alone', async () => {
      const { store, tenant, other } = await withTenant()
      const user = aUser(tenant.id)
      await store.users.insert(user, anAudit('create'))
      expect(await store.users.get(other.id, user.id)).toBeUndefined()
      expect(await store.users.findByEmail(other.id, user.emailKey)).toBeUndefined()
      const update = store.users.update(other.id, user.id, (u) => ({ ...u }), anAudit('update'))
      expect(await update).toEqual({ kind: 'missing' })
      expect(await store.users.delete(other.id, user.id, anAudit('delete'))).toEqual({
        kind: 'missing',
      })
      expect(await store.users.get(tenant.id, user.id)).toEqual(user)
    })

    test('an update answers with the new version, and the new one is read from then on', async () => {
      const { store, tenant } = await withTenant()
      const before = aUser(tenant.id, { verifiedAt: 1_700_000_000_000_000 })
      await store.users.insert(before, anAudit('create'))
      const after = {
        ...before,
        email: 'New@example.com',
        emailKey: 'new@example.com',
        verifiedAt: undefined,
        disabled: true,
        profile: {},
        metadata: {},
      }
      expect(
        await store.users.update(tenant.id, before.id, () => after, anAudit('update')),
      ).toEqual({ kind: 'written', record: after })
      expect(await store.users.get(tenant.id, before.id)).toEqual(after)
      expect(await store.users.findByEmail(tenant.id, 'new@example.com')).toEqual(after)
      expect(await store.users.findByEmail(tenant.id, before.emailKey)).toBeUndefined()
    })

    test('an update leaves the credentials of the user as they are', async () => {
      const { store, tenant } = await withTenant()
      const user = aUser(tenant.id)
      const credential = aCredential(user)
      await store.users.insert(user, anAudit('create'), credential)
      const changed = { ...user, disabled: true }
      await store.users.update(tenant.id, user.id, () => changed, anAudit('update'))
      expect(await store.credentials.get(tenant.id, user.id, 'password')).toEqual(credential)
    })

    test('a deleted user takes the credentials along; the last version is answered, once', async () => {
      const { store, tenant } = await withTenant()
      const user = aUser(tenant.id)
      await store.users.insert(user, anAudit('create'), aCredential(user))
      expect(await store.users.delete(tenant.id, user.id, anAudit('delete'))).toEqual({
        kind: 'written',
        record: user,
      })
      expect(await store.users.delete(tenant.id, user.id, anAudit('delete'))).toEqual({
        kind: 'missing',
      })
      expect(await store.users.get(tenant.id, user.id)).toBeUndefined()
      expect(await store.credentials.get(tenant.id, user.id, 'password')).toBeUndefined()
      const page = { after: undefined, limit: 9 }
      expect(await store.credentials.list(tenant.id, user.id, page)).toBeUndefined()
    })
  })
}
