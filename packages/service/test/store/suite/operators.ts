import { describe, expect, test } from 'vitest'
import type { Job } from '../../../src/store/jobs.ts'
import { SYSTEM_TENANT_ID } from '../../../src/store/system-tenant.ts'
import type { Open } from '../data-store-suite.ts'
import { aCredential, anApiKey, anAudit, anOperator, aTenant, aUser } from '../records.ts'

export function describeOperators(open: Open): void {
  describe('operators', () => {
    async function withUsers() {
      const store = await open()
      const system = aTenant({ id: SYSTEM_TENANT_ID })
      await store.tenants.insert(system, anAudit('create'))
      const users = [aUser(system.id), aUser(system.id)] as const
      for (const user of users) await store.users.insert(user, anAudit('create'))
      return { store, system, users }
    }

    test('an operator is read with its user, by id and by invitation', async () => {
      const { store, users } = await withUsers()
      const first = anOperator(users[0].id, { reach: ['ten_1', 'ten_2'] })
      const second = anOperator(users[1].id, { role: 'viewer', invitation: undefined })
      expect(await store.operators.insert(second, anAudit('invite'))).toEqual({
        kind: 'written',
        record: second,
      })
      expect(await store.operators.insert(first, anAudit('invite'))).toMatchObject({
        kind: 'written',
      })
      const both = [
        { operator: first, user: users[0] },
        { operator: second, user: users[1] },
      ]
      expect(await store.operators.list()).toEqual(both)
      expect(await store.operators.get(first.id)).toEqual(both[0])
      expect(await store.operators.get(second.id)).toEqual(both[1])
      expect(await store.operators.findByInvitation(first.invitation?.hash ?? '')).toEqual(both[0])
      expect(await store.operators.get('usr_x')).toBeUndefined()
      expect(await store.operators.findByInvitation('unknown')).toBeUndefined()
    })

    test('the ways to log in and the last login are read of operators only', async () => {
      const { store, users } = await withUsers()
      const [ada, bob] = users
      for (const { id } of users) await store.operators.insert(anOperator(id), anAudit('invite'))
      await store.credentials.insert(aCredential(ada), anAudit('create'))
      for (const [at, action] of [
        [5, 'login.succeeded'],
        [7, 'login.succeeded'],
        [9, 'login.failed'],
      ] as const) {
        await store.audit.append(anAudit(action, { at, actor: `user:${ada.id}` }))
      }
      expect(await store.operators.logins()).toEqual([
        { id: ada.id, kinds: ['password'], lastLoginAt: 7 },
        { id: bob.id, kinds: [], lastLoginAt: undefined },
      ])
    })

    test('an operator is a user of the system tenant, and is one once', async () => {
      const { store, users } = await withUsers()
      const elsewhere = aTenant()
      await store.tenants.insert(elsewhere, anAudit('create'))
      const stranger = aUser(elsewhere.id)
      await store.users.insert(stranger, anAudit('create'))
      const insert = (id: string) => store.operators.insert(anOperator(id), anAudit('invite'))
      expect(await insert(stranger.id)).toEqual({ kind: 'missing' })
      expect(await insert(users[0].id)).toMatchObject({ kind: 'written' })
      expect(await insert(users[0].id)).toEqual({ kind: 'duplicate' })
    })

    test('an update answers with the new version; without a change nothing is written', async () => {
      const { store, users } = await withUsers()
      const operator = anOperator(users[0].id)
      await store.operators.insert(operator, anAudit('invite'))
      const next = { ...operator, role: 'viewer' as const, invitation: undefined }
      const audit = anAudit('update', { target: operator.id })
      expect(await store.operators.update(operator.id, () => next, audit)).toEqual({
        kind: 'written',
        record: next,
      })
      expect((await store.operators.get(operator.id))?.operator).toEqual(next)
      expect(await store.operators.update(operator.id, (last) => last, audit)).toEqual({
        kind: 'unchanged',
        record: next,
      })
      expect(await store.operators.update('usr_x', () => next, audit)).toEqual({ kind: 'missing' })
      expect(await store.audit.list({ target: operator.id })).toHaveLength(1)
    })

    test('an update and its job are stored together, or not at all', async () => {
      const { store, system, users } = await withUsers()
      const operator = anOperator(users[0].id)
      await store.operators.insert(operator, anAudit('invite'))
      const next = { ...operator, role: 'viewer' as const, invitation: undefined }
      const audit = anAudit('update', { target: operator.id })
      const job: Job = {
        ...{ id: 'job_of_a_role', tenantId: system.id, kind: 'tell-role', total: 1 },
        ...{ state: 'running', createdAt: 1_700_000_000_000_000, progress: null },
        work: { operatorId: operator.id, before: { role: 'owner', reach: 'all' }, by: undefined },
        actor: { name: 'admin', requestId: 'r', address: undefined, userAgent: undefined },
      }
      const update = (one: Job) =>
        store.operators.update(
          operator.id,
          () => next,
          audit,
          () => one,
        )
      await expect(update({ ...job, kind: null } as never)).rejects.toThrow()
      expect((await store.operators.get(operator.id))?.operator).toEqual(operator)
      expect(await store.audit.list({ target: operator.id })).toEqual([])
      expect(await update(job)).toMatchObject({ kind: 'written' })
      expect(await store.jobs.get(system.id, job.id)).toMatchObject({ kind: 'tell-role' })
    })

    test('an operator goes with its user', async () => {
      const { store, system, users } = await withUsers()
      await store.operators.insert(anOperator(users[0].id), anAudit('invite'))
      await store.users.delete(system.id, users[0].id, anAudit('remove'))
      expect(await store.operators.get(users[0].id)).toBeUndefined()
      expect(await store.operators.list()).toEqual([])
    })

    test('the system tenant is in no list and in no total, and no key can name it', async () => {
      const { store, system } = await withUsers()
      const none = { total: 0, items: [], more: false }
      const first = { after: undefined, limit: 9 }
      expect(await store.tenants.list('all', first)).toEqual(none)
      const tenant = aTenant()
      await store.tenants.insert(tenant, anAudit('create'))
      const one = { total: 1, items: [tenant], more: false }
      for (const after of [undefined, '', system.id, 'a']) {
        expect(await store.tenants.list('all', { after, limit: 9 })).toEqual(one)
      }
      expect(await store.tenants.list([tenant.id, system.id], first)).toMatchObject({
        items: [tenant],
      })
      expect(await store.tenants.get(system.id)).toEqual(system)

      const key = anApiKey({ reach: [tenant.id, system.id] })
      expect(await store.apiKeys.insert(key, anAudit('create'))).toEqual({ kind: 'missing' })
      await store.tenants.delete(tenant.id, anAudit('delete'))
      expect(await store.tenants.list('all', first)).toEqual(none)
    })
  })
}
