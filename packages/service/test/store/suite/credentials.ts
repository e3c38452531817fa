import { describe, expect, test } from 'vitest'
import type { Credential } from '../../../src/store/records.ts'
import type { Open } from '../data-store-suite.ts'
import {
  aCredential,
  anAudit,
  aSocialCredential,
  aTenant,
  aUser,
  credentialsOf,
} from '../records.ts'

export function describeCredentials(open: Open): void {
  describe('credentials', () => {
    async function withUser() {
      const store = await open()
      const tenant = aTenant()
      const user = aUser(tenant.id)
      const other = aUser(tenant.id)
      await store.tenants.insert(tenant, anAudit('create'))
      await store.users.insert(user, anAudit('create'))
      await store.users.insert(other, anAudit('create'))
      return { store, tenant, user, other }
    }
    const ended = 1_800_000_000_000_000

    test('a credential reads as it was inserted', async () => {
      const { store, tenant, user } = await withUser()
      const credential = aCredential(user, {
        disabled: true,
        password: { alg: 'bcrypt', hash: '$2b$10$x', cost: 10 },
        state: { upgradedFrom: 'ab12' },
      })
      expect(await store.credentials.insert(credential, anAudit('create'))).toMatchObject({
        kind: 'written',
      })
      expect(await store.credentials.get(tenant.id, user.id, 'password')).toEqual(credential)
    })

    test('a credential of every kind reads as it was inserted', async () => {
      const { store, tenant, user } = await withUser()
      const all = credentialsOf(user)
      for (const credential of all) await store.credentials.insert(credential, anAudit('create'))

      const listed = await store.credentials.list(tenant.id, user.id, {
        after: undefined,
        limit: 100,
      })
      expect(listed?.items).toEqual(all)
      for (const credential of all) {
        expect(await store.credentials.get(tenant.id, user.id, credential.id)).toEqual(credential)
      }
    })

    test('the keys of a tenant that were made for another host are counted, whatever they are called', async () => {
      const { store, tenant, user, other } = await withUser()
      const named = credentialsOf(other).map((one) =>
        one.kind === 'hardware'
          ? { ...one, id: 'hwk_1123456789abcdefghjkmnpqrs', name: '","rpId":"new.example"' }
          : one,
      )
      for (const credential of [...credentialsOf(user), ...named]) {
        await store.credentials.insert(credential, anAudit('create'))
      }
      const { countForeignKeys } = store.credentials
      expect(await countForeignKeys(tenant.id, 'acme.example.com')).toBe(0)
      expect(await countForeignKeys(tenant.id, 'new.example')).toBe(2)
      expect(await countForeignKeys(tenant.id, '')).toBe(2)
      expect(await countForeignKeys(aTenant().id, 'new.example')).toBe(0)
    })

    test('a key or an account at a provider that another user of the tenant has is a duplicate', async () => {
      const { store, tenant, user, other } = await withUser()
      const anotherTenant = aTenant()
      const elsewhere = aUser(anotherTenant.id)
      await store.tenants.insert(anotherTenant, anAudit('create'))
      await store.users.insert(elsewhere, anAudit('create'))
      const all = credentialsOf(user)
      const insert = async (owner: typeof user, kind: Credential['kind']) => {
        const one = all.find((credential) => credential.kind === kind) as Credential
        const moved = { ...one, tenantId: owner.tenantId, userId: owner.id }
        return (await store.credentials.insert(moved, anAudit('create'))).kind
      }
      for (const kind of ['hardware', 'social'] as const) {
        expect(await insert(user, kind)).toBe('written')
        expect(await insert(other, kind)).toBe('duplicate')
        expect(await insert(elsewhere, kind)).toBe('written')
      }
      expect(
        await store.credentials.list(tenant.id, other.id, { after: undefined, limit: 9 }),
      ).toMatchObject({ total: 0 })
    })

    test('the users who would lose their only credential of some kinds are counted', async () => {
      const { store, tenant, user, other } = await withUser()
      for (const credential of credentialsOf(user)) {
        await store.credentials.insert(credential, anAudit('create'))
      }
      const [password, app] = credentialsOf(other)
      for (const credential of [password, { ...app, disabled: true }]) {
        await store.credentials.insert(credential as Credential, anAudit('create'))
      }
      const { countUsersLosing } = store.credentials
      expect(await countUsersLosing(tenant.id, ['totp_app'], [])).toBe(1)
      expect(await countUsersLosing(tenant.id, ['totp_app'], ['hardware'])).toBe(0)
      expect(await countUsersLosing(tenant.id, ['password', 'social'], [])).toBe(2)
      expect(await countUsersLosing(tenant.id, ['password'], ['hardware', 'totp_app'])).toBe(1)
      expect(await countUsersLosing(tenant.id, [], ['password'])).toBe(0)
      expect(await countUsersLosing(aTenant().id, ['password'], [])).toBe(0)
    })

    test('the users who have logged in since a time without a credential of some kinds are counted', async () => {
      const { store, tenant, user, other } = await withUser()
      for (const credential of credentialsOf(user)) {
        await store.credentials.insert(credential, anAudit('create'))
      }
      const [, app] = credentialsOf(other)
      await store.credentials.insert({ ...app, disabled: true } as Credential, anAudit('create'))
      const logIn = (target: string, at: number) =>
        store.audit.append({ ...anAudit('login.succeeded'), at, tenantId: tenant.id, target })
      await logIn(user.id, 10)
      await logIn(other.id, 20)
      const { countActiveWithout } = store.credentials
      expect(await countActiveWithout(tenant.id, ['totp_app', 'hardware'], 10)).toBe(1)
      expect(await countActiveWithout(tenant.id, [], 10)).toBe(2)
      expect(await countActiveWithout(tenant.id, [], 11)).toBe(1)
      expect(await countActiveWithout(tenant.id, ['totp_app'], 21)).toBe(0)
      expect(await countActiveWithout(aTenant().id, [], 0)).toBe(0)
    })

    test('the users who have connected an account by a connection are counted', async () => {
      const { store, tenant, user, other } = await withUser()
      const [first, second] = [aSocialCredential(user), aSocialCredential(user)]
      const { connectionId } = first
      const named = { ...aSocialCredential(other), email: `"connectionId":"${connectionId}"` }
      for (const one of [
        first,
        { ...second, id: 'soc_2', subject: 'two', connectionId },
        { ...named, id: 'soc_3', connectionId: 'con_other' },
      ]) {
        await store.credentials.insert(one, anAudit('create'))
      }
      const { countConnected } = store.credentials
      expect(await countConnected(tenant.id, connectionId)).toBe(1)
      expect(await countConnected(tenant.id, 'con_other')).toBe(1)
      expect(await countConnected(tenant.id, 'con_none')).toBe(0)
      expect(await countConnected(aTenant().id, connectionId)).toBe(0)

      const { countUsersLosing } = store.credentials
      expect(await countUsersLosing(tenant.id, ['social'], [], connectionId)).toBe(1)
      expect(await countUsersLosing(tenant.id, ['social'], ['password'], 'con_other')).toBe(1)
      const [password] = credentialsOf(other)
      await store.credentials.insert(password as Credential, anAudit('create'))
      expect(await countUsersLosing(tenant.id, ['social'], ['password'], 'con_other')).toBe(0)
      const elsewhere = { ...aSocialCredential(user), id: 'soc_4', subject: 'four' }
      await store.credentials.insert({ ...elsewhere, connectionId: 'con_other' }, anAudit('create'))
      expect(await countUsersLosing(tenant.id, ['social'], [], connectionId)).toBe(0)
    })

    test('a credential of a user that does not exist is an orphan', async () => {
      const { store, tenant } = await withUser()
      const orphan = aCredential(aUser(tenant.id))
      expect(await store.credentials.insert(orphan, anAudit('create'), ended)).toEqual({
        kind: 'missing',
      })
      expect(await store.credentials.get(tenant.id, orphan.userId, 'password')).toBeUndefined()
    })

    test('a user has one credential of an id; a second one changes nothing', async () => {
      const { store, tenant, user } = await withUser()
      const first = aCredential(user)
      await store.credentials.insert(first, anAudit('create'))
      const second = aCredential(user)
      expect(await store.credentials.insert(second, anAudit('create'), ended)).toEqual({
        kind: 'duplicate',
      })
      expect(await store.credentials.get(tenant.id, user.id, 'password')).toEqual(first)
      expect(await store.users.get(tenant.id, user.id)).toEqual(user)
    })

    test('an insert can set the time from which sessions are valid', async () => {
      const { store, tenant, user, other } = await withUser()
      await store.credentials.insert(aCredential(user), anAudit('create'), ended)
      await store.credentials.insert(aCredential(other), anAudit('create'))
      expect(await store.users.get(tenant.id, user.id)).toEqual({
        ...user,
        sessionsValidAfter: ended,
      })
      expect(await store.users.get(tenant.id, other.id)).toEqual(other)
    })

    test('the time from which sessions are valid never moves back', async () => {
      const { store, tenant, user } = await withUser()
      const after = async () => (await store.users.get(tenant.id, user.id))?.sessionsValidAfter
      const { credentials } = store
      await credentials.insert(aCredential(user), anAudit('create'), ended)
      const change = (last: Credential) => ({
        credential: { ...last, disabled: true },
        sessionsValidAfter: ended - 1,
      })
      await credentials.update(tenant.id, user.id, 'password', change, anAudit('update'))
      expect(await after()).toBe(ended)
      await credentials.delete(tenant.id, user.id, 'password', anAudit('delete'), ended - 1)
      expect(await after()).toBe(ended)
      await credentials.insert(aCredential(user), anAudit('create'), ended - 1)
      expect(await after()).toBe(ended)
    })

    test('a credential is found under its own user alone', async () => {
      const { store, tenant, user, other } = await withUser()
      const credential = aCredential(user)
      await store.credentials.insert(credential, anAudit('create'))
      expect(await store.credentials.get(tenant.id, other.id, 'password')).toBeUndefined()
      expect(await store.credentials.get('ten_x', user.id, 'password')).toBeUndefined()
      expect(await store.credentials.get(tenant.id, user.id, 'other')).toBeUndefined()
      const update = store.credentials.update(
        tenant.id,
        other.id,
        'password',
        (current) => ({ credential: { ...current } }),
        anAudit('update'),
      )
      expect(await update).toEqual({ kind: 'missing' })
      expect(
        await store.credentials.delete(tenant.id, other.id, 'password', anAudit('delete'), ended),
      ).toEqual({ kind: 'missing' })
      expect(await store.users.get(tenant.id, other.id)).toEqual(other)
      expect(await store.credentials.get(tenant.id, user.id, 'password')).toEqual(credential)
    })

    test('an account at a provider is found whoever it belongs to, and belongs to one user of a tenant', async () => {
      const { store, tenant, user, other } = await withUser()
      const elsewhere = aTenant()
      const stranger = aUser(elsewhere.id)
      await store.tenants.insert(elsewhere, anAudit('create'))
      await store.users.insert(stranger, anAudit('create'))
      const social = aSocialCredential(user)
      const { id } = social
      await store.credentials.insert(social, anAudit('create'))
      await store.credentials.insert(aCredential(user), anAudit('create'))

      expect(await store.credentials.findSocial(tenant.id, id)).toEqual(social)
      expect(await store.credentials.findSocial(tenant.id, 'password')).toBeUndefined()
      expect(await store.credentials.findSocial(elsewhere.id, id)).toBeUndefined()
      const theirs = aSocialCredential(other, { id })
      expect(await store.credentials.insert(theirs, anAudit('create'), ended)).toEqual({
        kind: 'duplicate',
      })
      expect(await store.users.get(tenant.id, other.id)).toEqual(other)
      const newcomer = aUser(tenant.id)
      const first = aSocialCredential(newcomer, { id })
      expect(await store.users.insert(newcomer, anAudit('create'), first)).toEqual({
        kind: 'duplicate',
      })
      expect(await store.users.get(tenant.id, newcomer.id)).toBeUndefined()
      expect(await store.users.findByEmail(tenant.id, newcomer.emailKey)).toBeUndefined()
      const far = aSocialCredential(stranger, { id })
      expect(await store.credentials.insert(far, anAudit('create'))).toMatchObject({
        kind: 'written',
      })

      await store.users.delete(tenant.id, user.id, anAudit('delete'))
      expect(await store.credentials.findSocial(tenant.id, id)).toBeUndefined()
      expect(await store.credentials.insert(theirs, anAudit('create'))).toMatchObject({
        kind: 'written',
      })
      await store.credentials.delete(tenant.id, other.id, id, anAudit('delete'), ended)
      expect(await store.credentials.findSocial(tenant.id, id)).toBeUndefined()
      expect(await store.users.insert(newcomer, anAudit('create'), first)).toMatchObject({
        kind: 'written',
      })
      expect(await store.credentials.findSocial(tenant.id, id)).toEqual(first)
    })

    test('a list holds the credentials of the user, page by page', async () => {
      const { store, tenant, user, other } = await withUser()
      const page = { after: undefined, limit: 1 }
      const empty = { total: 0, items: [], more: false }
      expect(await store.credentials.list(tenant.id, user.id, page)).toEqual(empty)
      expect(await store.credentials.list(tenant.id, 'usr_x', page)).toBeUndefined()
      expect(await store.credentials.list('ten_x', user.id, page)).toBeUndefined()

      const one = aCredential(user, { id: 'password' })
      const two = aCredential(user, { id: 'second' })
      await store.credentials.insert(two, anAudit('create'))
      await store.credentials.insert(one, anAudit('create'))
      const list = (after: string | undefined, limit: number) =>
        store.credentials.list(tenant.id, user.id, { after, limit })
      expect(await list(undefined, 1)).toEqual({ total: 2, items: [one], more: true })
      expect(await list(undefined, 2)).toEqual({ total: 2, items: [one, two], more: false })
      expect(await list('password', 2)).toEqual({ total: 2, items: [two], more: false })
      expect(await list('second', 2)).toEqual({ total: 2, items: [], more: false })
      expect(await store.credentials.list(tenant.id, other.id, page)).toEqual(empty)
    })

    test('an update answers with the new version, and sets from when on sessions are valid', async () => {
      const { store, tenant, user } = await withUser()
      const before = aCredential(user)
      await store.credentials.insert(before, anAudit('create'))
      const after = {
        ...before,
        disabled: true,
        metadata: {},
        password: { alg: 'bcrypt' as const, hash: '$2b$10$new', cost: 10 },
      }
      const outcome = await store.credentials.update(
        tenant.id,
        user.id,
        'password',
        () => ({ credential: after, sessionsValidAfter: ended }),
        anAudit('update'),
      )
      const stored = { ...after, rev: 2 }
      expect(outcome).toEqual({ kind: 'written', record: stored })
      expect(await store.credentials.get(tenant.id, user.id, 'password')).toEqual(stored)
      expect((await store.users.get(tenant.id, user.id))?.sessionsValidAfter).toBe(ended)
    })

    test('an update without a time for sessions leaves them valid', async () => {
      const { store, tenant, user } = await withUser()
      await store.credentials.insert(aCredential(user), anAudit('create'))
      await store.credentials.update(
        tenant.id,
        user.id,
        'password',
        (current) => ({ credential: { ...current, disabled: true } }),
        anAudit('update'),
      )
      expect(await store.users.get(tenant.id, user.id)).toEqual(user)
    })

    test('a deletion answers with the last version and sets from when on sessions are valid', async () => {
      const { store, tenant, user } = await withUser()
      const credential = aCredential(user)
      await store.credentials.insert(credential, anAudit('create'))
      const deletion = () =>
        store.credentials.delete(tenant.id, user.id, 'password', anAudit('delete'), ended)
      expect(await deletion()).toEqual({ kind: 'written', record: credential })
      expect(await deletion()).toEqual({ kind: 'missing' })
      expect(await store.credentials.get(tenant.id, user.id, 'password')).toBeUndefined()
      expect((await store.users.get(tenant.id, user.id))?.sessionsValidAfter).toBe(ended)
    })
  })
}
