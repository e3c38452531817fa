import { describe, expect, test } from 'vitest'
import type { Open } from '../data-store-suite.ts'
import { anAudit, aTenant } from '../records.ts'
import { deleteWhole } from './deletions.ts'

export function describeMailDays(open: Open): void {
  describe('the mails of each day', () => {
    async function withTenants() {
      const store = await open()
      const [tenant, other] = [aTenant(), aTenant()]
      for (const one of [tenant, other]) await store.tenants.insert(one, anAudit('create'))
      return { store, mailDays: store.mailDays, tenant, other }
    }

    test('are counted by tenant, day and outcome, the oldest day first', async () => {
      const { mailDays, tenant, other } = await withTenants()
      await mailDays.add(tenant.id, 20_002, 'sent')
      await mailDays.add(tenant.id, 20_001, 'given_up')
      await mailDays.add(tenant.id, 20_002, 'given_up')
      await mailDays.add(tenant.id, 20_002, 'sent')
      await mailDays.add(other.id, 20_002, 'sent')
      expect(await mailDays.list(tenant.id, 20_001)).toEqual([
        { day: 20_001, sent: 0, givenUp: 1 },
        { day: 20_002, sent: 2, givenUp: 1 },
      ])
      expect(await mailDays.list(tenant.id, 20_002)).toHaveLength(1)
      expect(await mailDays.list('ten_none', 0)).toEqual([])
    })

    test('are exact when many are counted at once, also the first ones', async () => {
      const { mailDays, tenant } = await withTenants()
      const outcomes = Array.from({ length: 60 }, (_, n) => (n % 3 === 0 ? 'given_up' : 'sent'))
      await Promise.all(outcomes.map((outcome) => mailDays.add(tenant.id, 20_000, outcome)))
      expect(await mailDays.list(tenant.id, 0)).toEqual([{ day: 20_000, sent: 40, givenUp: 20 }])
    })

    test('are deleted with the days before one, and with their tenant; later mails of it count nowhere', async () => {
      const { store, mailDays, tenant, other } = await withTenants()
      for (const day of [20_000, 20_001]) {
        for (const { id } of [tenant, other]) await mailDays.add(id, day, 'sent')
      }
      await mailDays.prune(20_001)
      expect(await mailDays.list(tenant.id, 0)).toEqual([{ day: 20_001, sent: 1, givenUp: 0 }])
      await mailDays.prune(20_001)
      await deleteWhole(store, tenant.id)
      await mailDays.add(tenant.id, 20_001, 'sent')
      expect(await mailDays.list(tenant.id, 0)).toEqual([])
      expect(await mailDays.list(other.id, 0)).toHaveLength(1)
    })
  })
}
