import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../../src/store/deliveries.ts'
import type { DataStore } from '../../../src/store/ports.ts'
import type { Open } from '../data-store-suite.ts'
import { anAudit, aTenant, aWebhook } from '../records.ts'
import { deleteWhole } from './deletions.ts'

/** A delivery of the event with this number. */
const anEvent = (webhookId: string, n: number) => ({
  ...{ webhookId, eventId: `evt_${n}`, type: 'user.created', body: `{"n":${n}}` },
})

const accepted = (id: number): Attempt => ({
  ...{ id, status: 204, reason: undefined, millis: 7, outcome: 'delivered', waitSeconds: 0 },
})

export function describeDeliveries(open: Open): void {
  describe('deliveries', () => {
    async function withWebhooks() {
      const store = await open()
      const tenant = aTenant()
      await store.tenants.insert(tenant, anAudit('create'))
      const one = aWebhook(tenant.id)
      const two = aWebhook(tenant.id)
      for (const webhook of [one, two]) await store.webhooks.insert(webhook, anAudit('create'))
      return { store, tenant, one, two }
    }

    /** Takes every lane that is free. */
    const claim = (store: DataStore) => store.deliveries.claim(10, 60)

    test('an endpoint reads as it was inserted, and lists are of their tenant', async () => {
      const { store, tenant, one, two } = await withWebhooks()
      expect(await store.webhooks.get(tenant.id, one.id)).toEqual(one)
      expect((await store.webhooks.list(tenant.id)).map(({ id }) => id)).toEqual([one.id, two.id])
      expect(await store.webhooks.list('ten_x')).toEqual([])
      expect(await store.webhooks.ofTenants(['ten_x', tenant.id])).toHaveLength(2)
      expect(await store.webhooks.all()).toHaveLength(2)
      const orphan = aWebhook('ten_x')
      expect(await store.webhooks.insert(orphan, anAudit('create'))).toEqual({ kind: 'missing' })
      const off = await store.webhooks.update(
        ...[tenant.id, one.id],
        (last) => ({ ...last, disabled: 'gone' as const }),
        anAudit('update'),
      )
      expect(off).toEqual({ kind: 'written', record: { ...one, disabled: 'gone' } })
      expect(await store.webhooks.delete(tenant.id, one.id, anAudit('delete'))).toMatchObject({
        kind: 'written',
      })
      expect(await store.webhooks.get(tenant.id, one.id)).toBeUndefined()
    })

    test('an event goes to an endpoint once, and again when that is asked for', async () => {
      const { store, one } = await withWebhooks()
      const { deliveries } = store
      await deliveries.add([anEvent(one.id, 1), anEvent(one.id, 2)])
      await deliveries.add([anEvent(one.id, 2), anEvent(one.id, 3)])
      const due = await deliveries.due(one.id, 10)
      expect(due.map(({ body }) => body)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}'])
      await deliveries.finish(due.map(({ id }) => accepted(id)))
      expect(await deliveries.due(one.id, 10)).toEqual([])
      await deliveries.add([anEvent(one.id, 1)])
      expect(await deliveries.due(one.id, 10)).toEqual([])
      await deliveries.addAgain([anEvent(one.id, 1)])
      expect(await deliveries.due(one.id, 10)).toMatchObject([{ eventId: 'evt_1', attempts: 0 }])
    })

    test('events of an endpoint that does not exist any more are dropped', async () => {
      const { store, one } = await withWebhooks()
      await store.deliveries.add([anEvent('whk_gone', 1), anEvent(one.id, 1)])
      expect(await store.deliveries.backlog()).toMatchObject({ waiting: 1 })
    })

    test('a lane with due deliveries is taken once, and again when it is given back', async () => {
      const { store, one, two } = await withWebhooks()
      const { deliveries } = store
      expect(await claim(store)).toEqual([])
      await deliveries.add([anEvent(one.id, 1), anEvent(two.id, 1)])
      const taken = await Promise.all([claim(store), claim(store), claim(store)])
      const lanes = taken.flat()
      expect(lanes.map(({ webhookId }) => webhookId).sort()).toEqual([one.id, two.id].sort())
      const [lane] = lanes.filter(({ webhookId }) => webhookId === one.id)
      if (!lane) throw new Error('The lane was not taken.')
      expect(await deliveries.release(lane, 0)).toBe(0)
      expect((await claim(store)).map(({ webhookId }) => webhookId)).toEqual([one.id])
    })

    test('who has held a lane before has no say in it', async () => {
      const { store, one } = await withWebhooks()
      const { deliveries } = store
      await deliveries.add([anEvent(one.id, 1)])
      const [earlier] = await deliveries.claim(1, 0)
      const [later] = await deliveries.claim(1, 60)
      if (!earlier || !later) throw new Error('The lane was not taken.')
      expect(later.fence).toBeGreaterThan(earlier.fence)
      expect(await deliveries.renew(earlier, 60)).toBe(false)
      expect(await deliveries.release(earlier, 0)).toBeUndefined()
      expect(await claim(store)).toEqual([])
      expect(await deliveries.renew(later, 60)).toBe(true)
    })

    test('a lane is left alone for a pause, also when an event is added', async () => {
      const { store, one } = await withWebhooks()
      const { deliveries } = store
      await deliveries.add([anEvent(one.id, 1)])
      const [lane] = await claim(store)
      if (!lane) throw new Error('The lane was not taken.')
      const next = await deliveries.release(lane, 100)
      expect(next).toBeGreaterThan(90)
      await deliveries.add([anEvent(one.id, 2)])
      expect(await claim(store)).toEqual([])
      await deliveries.resume(one.id)
      expect(await claim(store)).toHaveLength(1)
    })

    test('a lane says how long nothing was accepted, until something is', async () => {
      const { store, one } = await withWebhooks()
      const { deliveries } = store
      await deliveries.add([anEvent(one.id, 1)])
      await deliveries.setFailing(one.id, true)
      const [failing] = await claim(store)
      expect(failing?.failingSeconds).toBeGreaterThanOrEqual(0)
      await deliveries.setFailing(one.id, false)
      if (failing) await deliveries.release(failing, 0)
      expect((await claim(store))[0]?.failingSeconds).toBeUndefined()
    })

    test('a failed attempt waits, and keeps what it was told', async () => {
      const { store, one } = await withWebhooks()
      const { deliveries } = store
      await deliveries.add([anEvent(one.id, 1), anEvent(one.id, 2)])
      const [first, second] = await deliveries.due(one.id, 10)
      if (!first || !second) throw new Error('Nothing is due.')
      const failed = { ...accepted(first.id), status: 500, outcome: undefined, waitSeconds: 300 }
      const over = {
        ...accepted(second.id),
        ...{ status: undefined, reason: 'timeout', outcome: 'given_up' as const },
      }
      await deliveries.finish([failed, over])
      expect(await deliveries.due(one.id, 10)).toEqual([])
      const [waiting] = await deliveries.list(one.id, {
        ...{ state: 'waiting', before: undefined, limit: 10 },
      })
      expect(waiting).toMatchObject({ attempts: 1, status: 500, millis: 7 })
      expect(waiting?.dueAt).toBeGreaterThan((waiting?.triedAt ?? 0) + 299e6)
      const all = await deliveries.list(one.id, { before: undefined, limit: 10 })
      expect(all.map(({ outcome }) => outcome)).toEqual(['given_up', undefined])
      expect(await deliveries.get(one.id, second.id)).toMatchObject({ reason: 'timeout' })
    })

    test('an endpoint that is switched off has no lane', async () => {
      const { store, tenant, one } = await withWebhooks()
      await store.deliveries.add([anEvent(one.id, 1)])
      await store.webhooks.update(
        ...[tenant.id, one.id],
        (last) => ({ ...last, disabled: 'switched_off' as const }),
        anAudit('update'),
      )
      expect(await claim(store)).toEqual([])
      expect(await store.deliveries.backlog()).toMatchObject({ waiting: 0 })
    })

    test('of a deleted tenant, endpoints stay as long as something is on its way', async () => {
      const { store, tenant, one, two } = await withWebhooks()
      await store.deliveries.add([anEvent(one.id, 1)])
      await deleteWhole(store, tenant.id)
      await store.deliveries.prune()
      expect((await store.webhooks.ofTenants([tenant.id])).map(({ id }) => id)).toEqual([one.id])
      expect(await store.webhooks.get(tenant.id, two.id)).toBeUndefined()
      const [last] = await store.deliveries.due(one.id, 10)
      await store.deliveries.finish([accepted(last?.id ?? 0)])
      await store.deliveries.prune()
      expect(await store.webhooks.ofTenants([tenant.id])).toEqual([])
      expect(await store.deliveries.get(one.id, last?.id ?? 0)).toBeUndefined()
    })

    test('entries of a tenant are read in the order of ids, and by time', async () => {
      const { store, tenant } = await withWebhooks()
      const other = aTenant()
      await store.tenants.insert(other, anAudit('create'))
      const at = [5, 3, 9].map((n) => n * 1e6)
      for (const n of at) {
        await store.audit.append({ ...anAudit('login.succeeded'), at: n, tenantId: tenant.id })
        await store.audit.append({ ...anAudit('login.succeeded'), at: n, tenantId: other.id })
      }
      const refused = { ...anAudit('not_found'), tenantId: tenant.id, outcome: 'refused' as const }
      await store.audit.append(refused)
      const first = await store.audit.afterOf(tenant.id, 0, 2)
      expect(first.entries.map((entry) => entry.at)).toEqual([5e6, 3e6])
      expect(first.readTo).toBe(first.entries[1]?.id)
      const rest = await store.audit.afterOf(tenant.id, first.readTo, 10)
      expect(rest.entries.map((entry) => entry.at)).toEqual([9e6])
      expect(rest.readTo).toBeGreaterThan(rest.entries[0]?.id ?? 0)
      const end = await store.audit.afterOf(tenant.id, rest.readTo, 10)
      expect(end).toEqual({ entries: [], readTo: rest.readTo })
      const between = await store.audit.between(tenant.id, { at: 2e6, id: 0 }, 9e6, 10)
      expect(between.map((entry) => entry.at)).toEqual([3e6, 5e6])
    })
  })
}
