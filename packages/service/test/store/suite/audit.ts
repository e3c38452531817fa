import { describe, expect, test, vi } from 'vitest'
import type { AuditFilter, AuditPage } from '../../../src/store/audit-search.ts'
import type { Open } from '../data-store-suite.ts'
import { anAudit, aTenant, aUser } from '../records.ts'

export function describeAudit(open: Open): void {
  describe('the audit log', () => {
    test('entries are listed as they were appended, the newest first, with growing ids', async () => {
      const store = await open()
      const entries = [
        anAudit('one', { tenantId: 'ten_1', requestId: 'r-1' }),
        anAudit('two', { actor: 'key:key_1' }),
        anAudit('three'),
      ]
      for (const entry of entries) await store.audit.append(entry)
      const listed = await store.audit.list({})
      expect(listed.map(({ id: _, ...entry }) => entry)).toEqual(entries.toReversed())
      const ids = listed.map(({ id }) => id)
      expect(ids).toEqual(ids.toSorted((a, b) => b - a))
      expect(new Set(ids).size).toBe(3)
    })

    test('a place is gone when entries behind it were pruned, and when it is beyond the end', async () => {
      const store = await open()
      expect(await store.audit.oldestUnless(await store.audit.last())).toBeUndefined()
      for (const at of [10, 11, 30]) await store.audit.append(anAudit('x', { at }))
      const [last, , first] = (await store.audit.list({})).map(({ id }) => id)
      if (first === undefined || last === undefined) throw new Error('There are three entries.')
      expect(await store.audit.last()).toBe(last)
      expect(await store.audit.oldestUnless(first)).toBeUndefined()
      expect(await store.audit.oldestUnless(last)).toBeUndefined()
      expect(await store.audit.oldestUnless(last + 1)).toBeLessThan(first)
      await store.audit.prune(20, 20)
      expect(await store.audit.oldestUnless(first)).toBe(last - 1)
      expect(await store.audit.oldestUnless(last - 1)).toBeUndefined()
    })

    test('a query narrows by tenant, request and target, all at once', async () => {
      const store = await open()
      await store.audit.append(anAudit('a', { tenantId: 't1', requestId: 'r1', target: 'x' }))
      await store.audit.append(anAudit('b', { tenantId: 't1', requestId: 'r2', target: 'x' }))
      await store.audit.append(anAudit('c', { tenantId: 't2', requestId: 'r1', target: 'y' }))
      const actions = async (query: Parameters<typeof store.audit.list>[0]) =>
        (await store.audit.list(query)).map(({ action }) => action)
      expect(await actions({ tenantId: 't1' })).toEqual(['b', 'a'])
      expect(await actions({ requestId: 'r1' })).toEqual(['c', 'a'])
      expect(await actions({ target: 'x' })).toEqual(['b', 'a'])
      expect(await actions({ tenantId: 't1', requestId: 'r1', target: 'x' })).toEqual(['a'])
      expect(await actions({ tenantId: 't2', target: 'x' })).toEqual([])
    })

    test('a list holds at most 100 entries unless it is told otherwise', async () => {
      const store = await open()
      await Promise.all(Array.from({ length: 120 }, () => store.audit.append(anAudit('many'))))
      expect(await store.audit.list({})).toHaveLength(100)
      expect(await store.audit.list({ limit: 2 })).toHaveLength(2)
      expect(await store.audit.list({ limit: 1_000 })).toHaveLength(120)
    })

    test('the entries after a given one are read in order, page by page', async () => {
      const store = await open()
      for (const action of ['a', 'b', 'c', 'd']) await store.audit.append(anAudit(action))
      const actions = async (id: number, limit: number) =>
        (await store.audit.after(id, limit)).map(({ action }) => action)
      const [last, , second] = await store.audit.list({})
      // Other transactions on the same server may delay them.
      await vi.waitFor(async () => expect(await actions(0, 9)).toHaveLength(4))
      expect(await actions(0, 2)).toEqual(['a', 'b'])
      expect(await actions(second?.id ?? 0, 10)).toEqual(['c', 'd'])
      expect(await actions(last?.id ?? 0, 10)).toEqual([])
    })

    test('entries of a tenant are found by who did what, to what and when, page by page', async () => {
      const store = await open()
      const entry = (at: number, action: string, actor: string, target: string) =>
        anAudit(action, { tenantId: 't1', at, actor, target })
      for (const one of [
        entry(10, 'user.create', 'key:k', 'usr_1'),
        entry(20, 'login.succeeded', 'user:usr_1', 'usr_1'),
        entry(30, 'credential.create', 'user:usr_1', 'usr_1/totp_app'),
        entry(30, 'user.update', 'key:k', 'usr_12'),
        entry(40, 'login.failed', 'visitor', 'usr_1'),
        anAudit('user.update', { tenantId: 't2', at: 35, target: 'usr_1' }),
      ]) {
        await store.audit.append(one)
      }
      async function found(filter: AuditFilter, limit: number): Promise<string[]> {
        const actions: string[] = []
        for (let after: AuditPage['after']; ; ) {
          const { items, next } = await store.audit.search('t1', filter, { after, limit })
          expect(items.length).toBeLessThanOrEqual(limit)
          actions.push(...items.map(({ at, action }) => `${at} ${action}`))
          if (!next) return actions
          after = next
        }
      }
      const all = ['40 login.failed', '30 user.update', '30 credential.create']
      all.push('20 login.succeeded', '10 user.create')
      for (const limit of [1, 2, 5, 100]) {
        expect(await found({}, limit)).toEqual(all)
        expect(await found({ user: 'usr_1' }, limit)).toEqual(all.toSpliced(1, 1))
        expect(await found({ target: 'usr_1' }, limit)).toEqual(all.toSpliced(1, 2))
        expect(await found({ actors: ['key:k'] }, limit)).toEqual([all[1], all[4]])
        expect(await found({ action: 'login.' }, limit)).toEqual([all[0], all[3]])
        expect(await found({ from: 20, to: 40 }, limit)).toEqual(all.slice(1, 4))
        expect(await found({ from: 20, actors: ['user:usr_1'], user: 'usr_1' }, limit)).toEqual([
          all[2],
          all[3],
        ])
      }
      expect(await found({ user: 'usr_1', target: 'usr_1' }, 1)).toHaveLength(3)
    })

    test('the entries of a job are found by its id, and are left out of pages where they would hide the others', async () => {
      const store = await open()
      const entry = (
        at: number,
        action: string,
        requestId: string | undefined,
        actor = 'operator:o',
      ) =>
        store.audit.append(
          anAudit(action, { tenantId: 't1', at, actor, requestId, target: 'usr_1' }),
        )
      await entry(10, 'user.create', undefined)
      await entry(20, 'job.begin', '3f2c')
      for (let at = 30; at < 60; at++) await entry(at, 'user.update', 'job_1')
      await entry(60, 'login.succeeded', 'zz', 'user:usr_1')
      async function found(filter: AuditFilter, limit: number): Promise<string[]> {
        const actions: string[] = []
        for (let after: AuditPage['after']; ; ) {
          const { items, next } = await store.audit.search('t1', filter, { after, limit })
          expect(items.length === limit || next === undefined).toBe(true)
          actions.push(...items.map(({ action }) => action))
          if (!next) return actions
          after = next
        }
      }
      for (const limit of [2, 7, 100]) {
        expect(await found({ withoutJobs: true }, limit)).toEqual([
          ...['login.succeeded', 'job.begin', 'user.create'],
        ])
        expect(await found({ withoutJobs: true, actors: ['operator:o'] }, limit)).toEqual([
          ...['job.begin', 'user.create'],
        ])
        expect(await found({ withoutJobs: true, target: 'usr_1' }, limit)).toHaveLength(3)
        expect(await found({ withoutJobs: true, action: 'user.' }, limit)).toEqual(['user.create'])
        expect(await found({ request: 'job_1' }, limit)).toHaveLength(30)
        expect(await found({ request: 'job_1', from: 35 }, limit)).toHaveLength(25)
        expect(await found({ request: '3f2c' }, limit)).toEqual(['job.begin'])
        expect(await found({}, limit)).toHaveLength(33)
      }
    })

    test('the users whom a job changed are found, but for those about whom was decided since and those who are gone', async () => {
      const store = await open()
      const tenant = aTenant()
      await store.tenants.insert(tenant, anAudit('tenant.create', { tenantId: tenant.id }))
      const users = Array.from({ length: 6 }, () => aUser(tenant.id))
      const write = (action: string, n: number, more: object = {}) =>
        store.audit.append(
          anAudit(action, { tenantId: tenant.id, target: users[n]?.id ?? '', ...more }),
        )
      for (const user of users) {
        await store.users.insert(user, anAudit('user.create', { tenantId: tenant.id }))
      }
      const byJob = { requestId: 'job_1', fields: ['disabled=true'] }
      for (let n = 0; n < 5; n++) await write('user.update', n, byJob)
      await write('user.update', 5, { ...byJob, requestId: 'job_2' })
      await write('user.update', 0, { fields: ['profile.name'] })
      await write('login.user_disabled', 0, { outcome: 'failure' })
      await write('user.update', 1, { fields: ['profile.name', 'disabled=false'] })
      await write('user.contest', 2)
      const gone = users[3]?.id ?? ''
      await store.users.delete(tenant.id, gone, anAudit('user.delete', { target: gone }))
      const page = { after: 0, limit: 1 }
      const [first, ...more] = await store.audit.unchangedSince(tenant.id, 'job_1', page)
      expect([first?.userId, more]).toEqual([users[0]?.id, []])
      const rest = { after: first?.id ?? 0, limit: 10 }
      const next = await store.audit.unchangedSince(tenant.id, 'job_1', rest)
      expect(next.map(({ userId }) => userId)).toEqual([users[4]?.id])
      expect(await store.audit.unchangedSince('ten_other', 'job_1', page)).toEqual([])
      expect(await store.audit.countUnchanged(tenant.id, 'job_1', 100)).toEqual({
        ...{ changed: 5, unchanged: 2 },
      })
      expect((await store.audit.countUnchanged(tenant.id, 'job_1', 3)).changed).toBe(3)
    })

    test('entries are counted by action and day, of each action the latest', async () => {
      const store = await open()
      const tenant = aTenant()
      await store.tenants.insert(tenant, anAudit('tenant.create', { at: 1, tenantId: tenant.id }))
      const day = 86_400 * 1e6
      const write = (action: string, at: number, tenantId = tenant.id) =>
        store.audit.append(anAudit(action, { at, tenantId }))
      for (const at of [day - 1, day, 2 * day - 1, 2 * day, 3 * day])
        await write('login.failed', at)
      await write('login.succeeded', 3 * day)
      await write('logout', 3 * day)
      await write('login.failed', 3 * day, 'ten_other')
      const counted = async (of: string | undefined, limit: number) =>
        (await store.audit.countByDay(of, { action: 'login.', from: day, limit })).sort(
          (a, b) => a.day - b.day || (a.action < b.action ? -1 : 1),
        )
      const three = { action: 'login.succeeded', day: 3, n: 1 }
      expect(await counted(tenant.id, 10)).toEqual([
        { action: 'login.failed', day: 1, n: 2 },
        { action: 'login.failed', day: 2, n: 1 },
        { action: 'login.failed', day: 3, n: 1 },
        three,
      ])
      expect(await counted(tenant.id, 2)).toEqual([
        { action: 'login.failed', day: 2, n: 1 },
        { action: 'login.failed', day: 3, n: 1 },
        three,
      ])
      expect(await counted(undefined, 10)).toContainEqual({ action: 'login.failed', day: 3, n: 2 })
      expect(await counted('ten_nobody', 10)).toEqual([])
    })

    test('entries of before an import are on one page of every filter', async () => {
      const store = await open()
      const tenant = aTenant()
      await store.tenants.insert(tenant, anAudit('tenant.create', { at: 1, tenantId: tenant.id }))
      const user = aUser(tenant.id)
      const members = { tenantId: tenant.id, actor: 'key:import', target: user.id }
      await store.audit.append(anAudit('login.failed', { ...members, at: 2, actor: 'visitor' }))
      await store.audit.append(anAudit('user.delete', { ...members, at: 3 }))
      const imported = Array.from({ length: 2_500 }, (_, n) => {
        const one = aUser(tenant.id)
        const audit = { ...members, at: 10 + n, target: one.id }
        return { user: one, credential: undefined, audit: anAudit('user.create', audit) }
      })
      await store.users.insertMany(tenant.id, imported)
      const page = { after: undefined, limit: 50 }
      for (const [filter, action] of [
        [{ action: 'login.' }, 'login.failed'],
        [{ action: 'user.d' }, 'user.delete'],
        [{ actors: ['visitor'] }, 'login.failed'],
        [{ actors: ['key:import'], action: 'user.delete' }, 'user.delete'],
        [{ actors: ['visitor'], target: user.id }, 'login.failed'],
      ] as const) {
        for (const of of [tenant.id, undefined]) {
          const { items, next } = await store.audit.search(of, filter, page)
          expect([items.map((entry) => entry.action), next]).toEqual([[action], undefined])
        }
      }
      const { items, next } = await store.audit.search(tenant.id, { action: 'user.' }, page)
      expect(items.map(({ at }) => at)).toEqual(Array.from({ length: 50 }, (_, n) => 2_509 - n))
      expect(next).toEqual({ at: 2_460, id: items.at(-1)?.id })
    })

    test('an entry is read by its id within its tenant, with the names of what changed', async () => {
      const store = await open()
      await store.audit.append(anAudit('x', { tenantId: 't1', fields: ['metadata.a,"b"', 'name'] }))
      const [entry] = await store.audit.list({})
      const id = entry?.id ?? 0
      expect(entry?.fields).toEqual(['metadata.a,"b"', 'name'])
      expect(await store.audit.get('t1', id)).toEqual(entry)
      expect(await store.audit.get('t2', id)).toBeUndefined()
      expect(await store.audit.get('t1', id + 1)).toBeUndefined()
    })

    test('pruning deletes entries older than a given time and returns their number', async () => {
      const store = await open()
      for (const at of [10, 20, 30]) await store.audit.append(anAudit('x', { at }))
      expect(await store.audit.prune(20, 20)).toBe(1)
      expect((await store.audit.list({})).map(({ at }) => at)).toEqual([30, 20])
      expect(await store.audit.prune(20, 20)).toBe(0)
    })

    test('pruning stops when the service closes', async () => {
      const store = await open()
      for (const at of [10, 20]) await store.audit.append(anAudit('x', { at, outcome: 'refused' }))
      expect(await store.audit.prune(15, 30, () => true)).toBe(0)
      expect(await store.audit.list({})).toHaveLength(2)
    })

    test('the id of an entry that was forgotten is not used again', async () => {
      const store = await open()
      await store.audit.append(anAudit('x', { at: 10 }))
      const [first] = await store.audit.list({})
      await store.audit.prune(20, 20)
      await store.audit.append(anAudit('x', { at: 30 }))
      const [second] = await store.audit.list({})
      expect(second?.id).toBeGreaterThan(first?.id ?? Number.NaN)
    })

    test('client, application and outcome of an entry are stored', async () => {
      const store = await open()
      const facts = {
        outcome: 'failure',
        address: '203.0.113.7',
        userAgent: 'Browser/1',
        applicationId: 'app_1',
      } as const
      await store.audit.append(anAudit('login.wrong_password', facts))
      expect(await store.audit.list({})).toMatchObject([facts])
    })

    test('trimming leaves the newest refused entries of an actor, and all other entries', async () => {
      const store = await open()
      const append = (actor: string, at: number, outcome: 'refused' | 'success' = 'refused') =>
        store.audit.append(anAudit('x', { actor, at, outcome }))
      await append('key:1', 1, 'success')
      await append('key:2', 2)
      for (const at of [3, 4, 5, 6]) await append('key:1', at)
      expect(await store.audit.trimRefused('key:1', 2)).toBe(2)
      expect(await store.audit.trimRefused('key:1', 2)).toBe(0)
      expect(await store.audit.trimRefused('key:3', 2)).toBe(0)
      expect((await store.audit.list({})).map(({ at }) => at)).toEqual([6, 5, 2, 1])
    })

    test('refused requests that arrive together are all in the log, in their order', async () => {
      const store = await open()
      const refused = Array.from({ length: 1_100 }, (_, n) =>
        anAudit('user.create', { target: `/${n}`, outcome: 'refused' }),
      )
      await Promise.all(refused.map((entry) => store.audit.append(entry)))
      const found = await store.audit.list({ limit: 2_000 })
      const targets = found.map(({ target }) => target)
      expect(targets).toEqual(refused.map(({ target }) => target).reverse())
    })

    test('pruning forgets refused entries earlier than others', async () => {
      const store = await open()
      for (const at of [10, 20, 30]) {
        await store.audit.append(anAudit('x', { at, outcome: 'refused' }))
        await store.audit.append(anAudit('x', { at }))
      }
      expect(await store.audit.prune(20, 30)).toBe(3)
      const left = (await store.audit.list({})).map(({ at, outcome }) => [at, outcome])
      expect(left).toEqual([
        [30, 'success'],
        [30, 'refused'],
        [20, 'success'],
      ])
    })
  })
}
