import { describe, expect, test } from 'vitest'
import type { Attempt, DueDelivery, Lane, Release } from '../../../src/store/deliveries.ts'
import type { DataStore } from '../../../src/store/ports.ts'
import type { Open } from '../data-store-suite.ts'
import { anAudit, aTenant, aWebhook } from '../records.ts'
import { deleteWhole } from './deletions.ts'

/** A delivery of the event with this number, of an entry that was written long after its endpoint. */
const anEvent = (webhookId: string, n: number) => ({
  ...{ webhookId, eventId: `evt_${n}`, type: 'user.created', body: `{"n":${n}}` },
  entry: { id: n, at: Number.MAX_SAFE_INTEGER },
})

const released = (lane: Lane, rest: Partial<Release> = {}): Release => ({
  ...{ lane, pauseSeconds: 0, isFailing: false },
  ...rest,
})

const accepted = ({ id, createdAt }: Pick<DueDelivery, 'id' | 'createdAt'>): Attempt => ({
  ...{ id, createdAt, status: 204, reason: undefined, millis: 7 },
  ...{ outcome: 'delivered', waitSeconds: 0 },
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

    const idsOf = (lanes: readonly Lane[]) => lanes.map(({ webhook }) => webhook.id).sort()

    /** Takes the lane of an endpoint alone, however long another process holds it. */
    async function claimOne(store: DataStore, id: string): Promise<Lane> {
      await store.deliveries.resume(id)
      const lane = (await claim(store)).find(({ webhook }) => webhook.id === id)
      if (!lane) throw new Error('The lane was not taken.')
      return lane
    }

    const waiting = async (store: DataStore, id: string) => {
      const query = { state: 'waiting' as const, before: undefined, limit: 10 }
      return (await store.deliveries.list(id, query)).map(({ eventId }) => eventId)
    }

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

    test('of endpoints that are inserted at once, each is checked against those before it', async () => {
      const { store, tenant } = await withWebhooks()
      const seen: number[] = []
      const check = (existing: readonly unknown[]) => void seen.push(existing.length)
      await Promise.all(
        [1, 2].map(() => store.webhooks.insert(aWebhook(tenant.id), anAudit('create'), check)),
      )
      expect(seen).toEqual([2, 3])
      const refused = store.webhooks.insert(aWebhook(tenant.id), anAudit('create'), () => {
        throw new Error('There are enough.')
      })
      await expect(refused).rejects.toThrow('There are enough.')
      expect(await store.webhooks.list(tenant.id)).toHaveLength(4)
    })

    test('an event goes to an endpoint once, and again when that is asked for', async () => {
      const { store, one } = await withWebhooks()
      const { deliveries } = store
      await deliveries.add([anEvent(one.id, 1), anEvent(one.id, 2)])
      await deliveries.add([anEvent(one.id, 2), anEvent(one.id, 3)])
      const { due, webhook } = await claimOne(store, one.id)
      expect(webhook).toEqual(one)
      expect(due.map(({ body }) => body)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}'])
      expect(due[0]).toMatchObject({ webhookId: one.id, eventId: 'evt_1', attempts: 0 })
      await deliveries.finish(due.map(accepted))
      expect(await waiting(store, one.id)).toEqual([])
      await deliveries.add([anEvent(one.id, 1)])
      expect(await waiting(store, one.id)).toEqual([])
      await deliveries.addAgain([anEvent(one.id, 1)])
      expect((await claimOne(store, one.id)).due).toMatchObject([
        { eventId: 'evt_1', attempts: 0, outcome: undefined },
      ])
    })

    test('an event that is asked for again while it is being sent is sent once more', async () => {
      const { store, one } = await withWebhooks()
      await store.deliveries.add([anEvent(one.id, 1)])
      const { due } = await claimOne(store, one.id)
      await store.deliveries.addAgain([anEvent(one.id, 1)])
      await store.deliveries.finish(due.map(accepted))
      expect(await waiting(store, one.id)).toEqual(['evt_1'])
    })

    test('events of an endpoint that does not exist any more are dropped', async () => {
      const { store, one } = await withWebhooks()
      await store.deliveries.add([anEvent('whk_gone', 1), anEvent(one.id, 1)])
      expect(await store.deliveries.backlog()).toMatchObject({ waiting: 1 })
    })

    test('an event that is older than its endpoint is dropped, by the order of the log', async () => {
      const { store, tenant } = await withWebhooks()
      const webhook = aWebhook(tenant.id)
      const noted = { ...anAudit('webhook.create'), tenantId: tenant.id, target: webhook.id }
      await store.webhooks.insert(webhook, noted)
      const [made] = await store.audit.list({ tenantId: tenant.id, target: webhook.id })
      const { id = 0 } = made ?? {}
      // The clocks of two processes may differ: times say nothing here.
      const before = { ...anEvent(webhook.id, 1), entry: { id: id - 1, at: webhook.createdAt + 1 } }
      const after = { ...anEvent(webhook.id, 2), entry: { id: id + 1, at: webhook.createdAt - 1 } }
      await store.deliveries.add([before, after])
      expect(await waiting(store, webhook.id)).toEqual(['evt_2'])
      await store.deliveries.addAgain([before])
      expect(await waiting(store, webhook.id)).toEqual(['evt_1', 'evt_2'])
    })

    test('a lane with due deliveries is taken once, and again when it is given back', async () => {
      const { store, one, two } = await withWebhooks()
      const { deliveries } = store
      expect(await claim(store)).toEqual([])
      await deliveries.add([anEvent(one.id, 1), anEvent(two.id, 1)])
      const taken = await Promise.all([claim(store), claim(store), claim(store)])
      const lanes = taken.flat()
      expect(idsOf(lanes)).toEqual([one.id, two.id].sort())
      const back = lanes.filter(({ webhook }) => webhook.id === one.id)
      expect(await deliveries.release(back.map((lane) => released(lane)))).toEqual([0])
      expect(idsOf(await claim(store))).toEqual([one.id])
    })

    test('a lane has at most eight of its deliveries, the oldest first', async () => {
      const { store, one } = await withWebhooks()
      const events = Array.from({ length: 10 }, (_, n) => anEvent(one.id, n))
      await store.deliveries.add(events)
      const lane = await claimOne(store, one.id)
      expect(lane.due.map(({ eventId }) => eventId)).toEqual(
        events.slice(0, 8).map(({ eventId }) => eventId),
      )
      await store.deliveries.finish(lane.due.map(accepted))
      expect(await store.deliveries.release([released(lane)])).toEqual([0])
      expect((await claim(store))[0]?.due).toHaveLength(2)
    })

    test('several lanes are given back at a time, each with the time of its next delivery', async () => {
      const { store, one, two } = await withWebhooks()
      const { deliveries } = store
      await deliveries.add([anEvent(one.id, 1), anEvent(two.id, 1)])
      const lanes = await claim(store)
      const [first, second] = lanes.flatMap(({ due }) => due)
      if (!first || !second) throw new Error('Nothing is due.')
      const failed = { ...accepted(second), outcome: undefined, waitSeconds: 300 }
      await deliveries.finish([accepted(first), failed])
      const [none, later] = await deliveries.release(lanes.map((lane) => released(lane)))
      expect(none).toBeUndefined()
      expect(later).toBeGreaterThan(290)
      expect(await claim(store)).toEqual([])
    })

    test('an event that is added while its lane is held is due when the lane is given back', async () => {
      const { store, one } = await withWebhooks()
      const { deliveries } = store
      await deliveries.add([anEvent(one.id, 1)])
      const lane = await claimOne(store, one.id)
      await deliveries.finish(lane.due.map(accepted))
      await deliveries.add([anEvent(one.id, 2)])
      expect(await deliveries.release([released(lane)])).toEqual([0])
      expect((await claim(store))[0]?.due).toMatchObject([{ eventId: 'evt_2' }])
    })

    test('who has held a lane before has no say in it', async () => {
      const { store, one } = await withWebhooks()
      const { deliveries } = store
      await deliveries.add([anEvent(one.id, 1)])
      const [earlier] = await deliveries.claim(1, 0)
      const [later] = await deliveries.claim(1, 0)
      if (!earlier || !later) throw new Error('The lane was not taken.')
      expect(later.fence).toBeGreaterThan(earlier.fence)
      await deliveries.renew([earlier], 60)
      const [latest] = await claim(store)
      if (!latest) throw new Error('The lane was renewed by an earlier holder.')
      expect(await deliveries.release([released(earlier), released(later)])).toEqual([
        undefined,
        undefined,
      ])
      expect(await claim(store)).toEqual([])
    })

    test('a lane that is renewed stays taken, and one that was given back is renewed no more', async () => {
      const { store, one } = await withWebhooks()
      const { deliveries } = store
      await deliveries.add([anEvent(one.id, 1)])
      const [lane] = await deliveries.claim(1, 0)
      if (!lane) throw new Error('The lane was not taken.')
      await deliveries.renew([lane], 60)
      expect(await claim(store)).toEqual([])
      await deliveries.release([released(lane)])
      await deliveries.renew([lane], 60)
      expect(await claim(store)).toHaveLength(1)
    })

    test('a lane is left alone for a pause, also when an event is added', async () => {
      const { store, one } = await withWebhooks()
      const { deliveries } = store
      await deliveries.add([anEvent(one.id, 1)])
      const lane = await claimOne(store, one.id)
      const [next] = await deliveries.release([released(lane, { pauseSeconds: 100 })])
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
      const lane = await claimOne(store, one.id)
      expect(lane.failingSeconds).toBeUndefined()
      const failing = async (isFailing: boolean | undefined) => {
        const [last] = await claim(store)
        if (last) await deliveries.release([released(last, { isFailing })])
        return last?.failingSeconds
      }
      await deliveries.release([released(lane, { isFailing: true })])
      expect(await failing(undefined)).toBeGreaterThanOrEqual(0)
      expect(await failing(false)).toBeGreaterThanOrEqual(0)
      expect(await failing(undefined)).toBeUndefined()
    })

    test('a failed attempt waits, and keeps what it was told', async () => {
      const { store, one } = await withWebhooks()
      const { deliveries } = store
      await deliveries.add([anEvent(one.id, 1), anEvent(one.id, 2)])
      const [first, second] = (await claimOne(store, one.id)).due
      if (!first || !second) throw new Error('Nothing is due.')
      const failed = { ...accepted(first), status: 500, outcome: undefined, waitSeconds: 300 }
      const over = {
        ...accepted(second),
        ...{ status: undefined, reason: 'timeout', outcome: 'given_up' as const },
      }
      await deliveries.finish([failed, over])
      expect((await claimOne(store, one.id)).due).toEqual([])
      const [left] = await deliveries.list(one.id, {
        ...{ state: 'waiting', before: undefined, limit: 10 },
      })
      expect(left).toMatchObject({ attempts: 1, status: 500, millis: 7 })
      expect(left?.dueAt).toBeGreaterThan((left?.triedAt ?? 0) + 299e6)
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
      const [last] = (await claimOne(store, one.id)).due
      if (!last) throw new Error('Nothing is due.')
      await store.deliveries.finish([accepted(last)])
      await store.deliveries.prune()
      expect(await store.webhooks.ofTenants([tenant.id])).toEqual([])
      expect(await store.deliveries.get(one.id, last.id)).toBeUndefined()
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
