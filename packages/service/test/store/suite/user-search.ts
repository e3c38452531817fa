import { describe, expect, test } from 'vitest'
import type { DataStore } from '../../../src/store/ports.ts'
import type { LoginWay, User } from '../../../src/store/records.ts'
import type { SearchPage, UserQuery } from '../../../src/store/user-search.ts'
import type { Open } from '../data-store-suite.ts'
import { anAudit, aTenant, aUser } from '../records.ts'

export function describeUserSearch(open: Open): void {
  describe('the search for users', () => {
    async function withUsers(...members: (Partial<User> & { email: string })[]) {
      const store = await open()
      const tenant = aTenant()
      const other = aTenant()
      const users: User[] = []
      for (const { id } of [tenant, other]) {
        await store.tenants.insert(id === tenant.id ? tenant : other, anAudit('create'))
        for (const { email, ...one } of members) {
          const profile = one.profile ?? {}
          const user = aUser(id, { ...one, email, emailKey: email.toLowerCase(), profile })
          await store.users.insert(user, anAudit('create'))
          users.push(user)
        }
      }
      return { store, tenant, users }
    }

    /** The addresses of all that is found, page by page. */
    async function found(
      store: DataStore,
      tenantId: string,
      query: UserQuery,
      limit = 2,
    ): Promise<string[]> {
      const emails: string[] = []
      for (let after: SearchPage['after']; ; ) {
        const { items, next } = await store.users.search(tenantId, query, { after, limit })
        expect(items.length).toBeLessThanOrEqual(limit)
        emails.push(...items.map(({ email }) => email))
        if (!next) return emails
        after = next
      }
    }

    test('a user is found by the beginning of the address, the name or the family name, in any case', async () => {
      const { store, tenant } = await withUsers(
        { email: 'Ada@example.com', profile: { name: 'Countess', family_name: 'Lovelace' } },
        { email: 'bob@example.com', profile: { name: 'Adam Ant', family_name: 'Ant' } },
        { email: 'eve@example.com', profile: { name: 'Eve', family_name: 'Adamson' } },
        { email: 'canada@example.com', profile: { name: 'Ida' } },
        { email: 'nameless@example.com' },
      )
      expect(await found(store, tenant.id, { search: ' ADA' })).toEqual([
        'Ada@example.com',
        'bob@example.com',
        'eve@example.com',
      ])
      expect(await found(store, tenant.id, { search: 'ada@' })).toEqual(['Ada@example.com'])
      expect(await found(store, tenant.id, { search: 'lovel' })).toEqual(['Ada@example.com'])
      expect(await found(store, tenant.id, { search: 'adamsont' })).toEqual([])
    })

    test('a user is found by the id, and by its beginning', async () => {
      const { store, tenant, users } = await withUsers(
        { email: 'a@example.com' },
        { email: 'b@example.com' },
      )
      const [first] = users as [User]
      expect(await found(store, tenant.id, { search: first.id })).toEqual(['a@example.com'])
      expect(await found(store, tenant.id, { search: 'usr_' }, 1)).toEqual([
        'a@example.com',
        'b@example.com',
      ])
    })

    test('a user with several keys that match is found once, on pages of any size', async () => {
      const names = Array.from({ length: 9 }, (_, n) => ({
        email: `kim.${n}@example.com`,
        profile: { name: `Kim ${9 - n}`, family_name: n % 2 ? 'Kimball' : 'Kim' },
      }))
      const { store, tenant } = await withUsers(...names, { email: 'other@example.com' })
      const all = await found(store, tenant.id, { search: 'kim' }, 100)
      expect([...all].sort()).toEqual(names.map(({ email }) => email))
      for (const limit of [1, 2, 3, 8, 9, 10]) {
        expect(await found(store, tenant.id, { search: 'kim' }, limit)).toEqual(all)
      }
    })

    test('names outside of ASCII are compared in one normal form and in the order of code points', async () => {
      const { store, tenant } = await withUsers(
        { email: 'a@example.com', profile: { name: 'E\u0301mile' } },
        { email: 'b@example.com', profile: { name: '\u00e9mile z' } },
        { email: 'c@example.com', profile: { name: 'émile \u{1f600}' } },
        { email: 'd@example.com', profile: { name: 'émile \uffee' } },
      )
      expect(await found(store, tenant.id, { search: 'É' }, 1)).toEqual([
        'a@example.com',
        'b@example.com',
        'd@example.com',
        'c@example.com',
      ])
    })

    test('the domain of an address is compared as the DNS knows it', async () => {
      const { store, tenant } = await withUsers({ email: 'zoe@xn--exmple-cua.com' })
      const emails = ['zoe@xn--exmple-cua.com']
      expect(await found(store, tenant.id, { search: 'Zoe@exämple.com' })).toEqual(emails)
    })

    test('characters with a meaning in SQL patterns are matched literally', async () => {
      const { store, tenant } = await withUsers(
        { email: 'percent@example.com', profile: { name: '%a_b\\' } },
        { email: 'plain@example.com', profile: { name: 'xaxbx' } },
      )
      for (const search of ['%', '%a_', '%a_b\\']) {
        expect(await found(store, tenant.id, { search })).toEqual(['percent@example.com'])
      }
      for (const search of ['_', '*', "'", '"', '\0', 'x\0']) {
        expect(await found(store, tenant.id, { search })).toEqual([])
      }
    })

    test('a name is searched as it is now', async () => {
      const { store, tenant, users } = await withUsers({
        email: 'a@example.com',
        profile: { name: 'Maiden' },
      })
      const [user] = users as [User]
      const rename = (last: User) => ({ ...last, profile: { name: 'Married' } })
      await store.users.update(tenant.id, user.id, rename, anAudit('update'))
      expect(await found(store, tenant.id, { search: 'maiden' })).toEqual([])
      expect(await found(store, tenant.id, { search: 'married' })).toEqual(['a@example.com'])
      await store.users.delete(tenant.id, user.id, anAudit('delete'))
      expect(await found(store, tenant.id, { search: 'married' })).toEqual([])
    })

    test('users are told apart by state, with a search and without', async () => {
      const verifiedAt = 1_700_000_000_000_000
      const { store, tenant } = await withUsers(
        { email: 'a1@example.com' },
        { email: 'a2@example.com', disabled: true },
        { email: 'a3@example.com', verifiedAt },
        { email: 'a4@example.com', verifiedAt, disabled: true },
        { email: 'b5@example.com', verifiedAt, disabled: true },
      )
      const short = (emails: string[]) => emails.map((email) => email.slice(0, 2))
      const of = async (query: UserQuery) => short(await found(store, tenant.id, query, 1))
      expect(await of({})).toEqual(['a1', 'a2', 'a3', 'a4', 'b5'])
      expect(await of({ disabled: true })).toEqual(['a2', 'a4', 'b5'])
      expect(await of({ disabled: false })).toEqual(['a1', 'a3'])
      expect(await of({ verified: true })).toEqual(['a3', 'a4', 'b5'])
      expect(await of({ verified: false })).toEqual(['a1', 'a2'])
      expect(await of({ verified: false, disabled: true })).toEqual(['a2'])
      expect(await of({ search: 'a', disabled: true })).toEqual(['a2', 'a4'])
      expect(await of({ search: 'a', verified: true, disabled: true })).toEqual(['a4'])
    })

    test('three users in a state are one page, wherever they are among thousands that match', async () => {
      const { store, tenant } = await withUsers()
      const verifiedAt = 1_700_000_000_000_000
      const batch = Array.from({ length: 2_500 }, (_, n) => {
        const email = `user${String(n).padStart(5, '0')}@example.com`
        const isRare = n === 0 || n >= 2_498
        const state = isRare ? { disabled: true } : { verifiedAt }
        const profile = { name: `User ${n}`, family_name: 'User' }
        const user = aUser(tenant.id, { email, emailKey: email, profile, ...state })
        return { user, credential: undefined, audit: anAudit('create') }
      })
      await store.users.insertMany(tenant.id, batch)
      const page = { after: undefined, limit: 50 }
      for (const search of ['user', undefined]) {
        for (const state of [{ disabled: true }, { verified: false }]) {
          const { items, next } = await store.users.search(tenant.id, { search, ...state }, page)
          expect([items.length, next]).toEqual([3, undefined])
        }
      }
    })

    test('a page goes on behind a user who was deleted meanwhile', async () => {
      const { store, tenant, users } = await withUsers(
        ...['a1', 'a2', 'a3', 'a4'].map((name) => ({ email: `${name}@example.com` })),
      )
      const query = { search: 'a' }
      const first = await store.users.search(tenant.id, query, { after: undefined, limit: 2 })
      for (const { id } of users.slice(1, 3)) {
        await store.users.delete(tenant.id, id, anAudit('delete'))
      }
      const { items } = await store.users.search(tenant.id, query, { after: first.next, limit: 2 })
      expect(items.map(({ email }) => email)).toEqual(['a4@example.com'])
    })

    test('a user is found by text in the middle of the address or a name, without accents, in the order of creation', async () => {
      const { store, tenant } = await withUsers(
        { email: 'zoe.mueller@acme.test', profile: { name: 'Zoë Müller' } },
        { email: 'bob@example.com', profile: { given_name: 'Žofia', family_name: 'Łukasiewicz' } },
        { email: 'canada@acme.test', profile: { name: 'Straße  der\tFreiheit' } },
        { email: 'ada@other.test', profile: { name: '山田太郎' } },
        { email: 'under_score@other.test', profile: { name: '100% "sure" it\'s \\ me' } },
      )
      const at = async (search: string) =>
        (await found(store, tenant.id, { search, inside: true })).map((email) => email.slice(0, 3))
      expect(await at('ada')).toEqual(['can', 'ada'])
      expect(await at('acme')).toEqual(['zoe', 'can'])
      expect(await at('MULLER')).toEqual(['zoe'])
      expect(await at('üller')).toEqual(['zoe'])
      expect(await at('zofia lukas')).toEqual(['bob'])
      expect(await at('strasse der frei')).toEqual(['can'])
      expect(await at('田太郎')).toEqual(['ada'])
      expect(await at('er_sco')).toEqual(['und'])
      expect(await at('100% "sure" it\'s \\')).toEqual(['und'])
      for (const search of ['undersco', 'acme.test zoe', 'ada*', 'sure OR ada', 'adas']) {
        expect(await at(search)).toEqual([])
      }
    })

    test('texts of less than three letters in a row, ids and domains are found by their beginning', async () => {
      const { store, tenant, users } = await withUsers(
        { email: 'al@acme.test' },
        { email: 'val@acme.test' },
        { email: 'bo@eu.acme.test' },
        { email: 'cy@acme.testing' },
      )
      const of = (search: string) => found(store, tenant.id, { search, inside: true }, 1)
      expect(await of('al')).toEqual(['al@acme.test'])
      expect(await of('al@')).toEqual(['al@acme.test'])
      expect(await of('@acme.test')).toEqual(['al@acme.test', 'val@acme.test', 'cy@acme.testing'])
      expect(await of('@ACME')).toEqual(await of('@acme'))
      expect(await of(users[1]?.id ?? '')).toEqual(['val@acme.test'])
    })

    test('text inside is found among the users in a state, and as it is now', async () => {
      const { store, tenant, users } = await withUsers(
        { email: 'first@acme.test', disabled: true },
        { email: 'second@acme.test' },
        { email: 'third@acme.test', disabled: true },
      )
      const of = (search: string, state: UserQuery = {}) =>
        found(store, tenant.id, { search, inside: true, ...state }, 1)
      expect(await of('acme', { disabled: true })).toEqual(['first@acme.test', 'third@acme.test'])
      const [first, second] = users as [User, User]
      const move = (last: User) => ({ ...last, email: 'new@cme.test', emailKey: 'new@cme.test' })
      await store.users.update(tenant.id, first.id, move, anAudit('update'))
      await store.users.delete(tenant.id, second.id, anAudit('delete'))
      expect(await of('acme')).toEqual(['third@acme.test'])
      expect(await of('w@cme')).toEqual(['new@cme.test'])
    })

    test('users are listed by creation, by name and by last login', async () => {
      const { store, tenant, users } = await withUsers(
        { email: 'a@x.test', profile: { name: 'Zoe' } },
        { email: 'b@x.test', profile: { name: 'ada' }, disabled: true },
        { email: 'c@x.test' },
        { email: 'd@x.test', profile: { name: 'Ada' } },
      )
      const of = async (query: UserQuery) =>
        (await found(store, tenant.id, query, 1)).map((email) => email[0]).join('')
      expect(await of({ order: 'oldest' })).toBe('abcd')
      expect(await of({ order: 'newest' })).toBe('dcba')
      expect(await of({ order: 'newest', disabled: false })).toBe('dca')
      expect(await of({ order: 'newest', disabled: true })).toBe('b')
      expect(await of({ order: 'name' })).toBe('bda')
      expect(await of({ order: 'name', verified: false, disabled: true })).toBe('b')
      expect(await of({ order: 'login' })).toBe('')

      const logIn = (user: User | undefined, at: number) =>
        store.audit.append({
          ...anAudit('login.succeeded'),
          ...{ tenantId: tenant.id, target: user?.id ?? '', at },
        })
      await logIn(users[1], 3_000)
      await logIn(users[3], 5_000)
      await logIn(users[0], 7_000)
      await logIn(users[3], 9_000)
      await logIn(users[1], 2_000)
      await logIn({ ...aUser(tenant.id), id: 'usr_gone' }, 9_999)
      expect(await of({ order: 'login' })).toBe('dab')
      const ids = users.slice(0, 4).map(({ id }) => id)
      expect([...(await store.users.lastLogins(tenant.id, ids))].sort()).toEqual([
        [ids[0], 7_000],
        [ids[1], 3_000],
        [ids[3], 9_000],
      ])
      await store.users.delete(tenant.id, ids[0] ?? '', anAudit('delete'))
      expect(await of({ order: 'login' })).toBe('db')
    })

    test('users are found by the way of their last login, and by a day since which they have not logged in', async () => {
      const { store, tenant, users } = await withUsers(
        { email: 'a@x.test', profile: { name: 'Zoe' }, createdAt: 1_000 },
        { email: 'b@x.test', profile: { name: 'Ada' }, createdAt: 1_000 },
        { email: 'c@x.test', disabled: true, createdAt: 1_000 },
        { email: 'd@x.test', profile: { name: 'Ada' }, createdAt: 1_000 },
        { email: 'e@x.test', createdAt: 8_000 },
      )
      const of = async (query: UserQuery) =>
        (await found(store, tenant.id, query, 1)).map((email) => email[0]).join('')
      const logIn = (n: number, at: number, way?: LoginWay) =>
        store.audit.append({
          ...anAudit('login.succeeded'),
          ...{ tenantId: tenant.id, target: users[n]?.id ?? '', at, loginWay: way },
        })
      await logIn(0, 3_000, 'password')
      await logIn(0, 5_000, 'passkey')
      await logIn(1, 6_000, 'password')
      // One that was noted late, and one of an earlier release.
      await logIn(1, 2_000, 'code')
      await logIn(3, 4_000)
      expect(await of({ lastWay: 'password' })).toBe('b')
      expect(await of({ lastWay: 'passkey' })).toBe('a')
      expect(await of({ lastWay: 'code' })).toBe('')
      expect(await of({ lastWay: 'never' })).toBe('ce')
      expect(await of({ lastWay: 'never', disabled: true })).toBe('c')
      expect(await of({ lastWay: 'never', order: 'newest' })).toBe('ec')
      expect(await of({ lastWay: 'password', order: 'name' })).toBe('b')
      expect(await of({ lastWay: 'password', search: 'ada' })).toBe('b')
      expect(await of({ lastWay: 'password', search: 'test', inside: true })).toBe('b')
      expect(await of({ lastWay: 'passkey', order: 'login' })).toBe('a')
      expect(await of({ notSince: 5_000 })).toBe('cd')
      expect(await of({ notSince: 5_001 })).toBe('acd')
      expect(await of({ notSince: 5_001, lastWay: 'never' })).toBe('c')
      expect(await of({ notSince: 9_000, search: '@x.test' })).toBe('abcde')
    })

    test('a long name is found by the part of it that is indexed', async () => {
      const name = '🦜'.repeat(1_000)
      const { store, tenant } = await withUsers({ email: 'long@example.com', profile: { name } })
      const search = '🦜'.repeat(300)
      expect(await found(store, tenant.id, { search })).toEqual(['long@example.com'])
    })
  })
}
