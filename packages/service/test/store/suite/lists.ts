import { describe, expect, test } from 'vitest'
import type { DataStore, Listing, Page } from '../../../src/store/ports.ts'
import type { Open } from '../data-store-suite.ts'
import { anApplication, anAudit, aTenant, aUser } from '../records.ts'

interface Item {
  id: string
}

/** A list of a store, as the tests below need it whatever it holds. */
interface List {
  kind: string
  /** Makes an item without storing it. */
  make(tenantId: string): Item
  insert(store: DataStore, item: Item): Promise<unknown>
  list(store: DataStore, tenantId: string, page: Page): Promise<Listing<Item> | undefined>
  delete(store: DataStore, tenantId: string, id: string): Promise<unknown>
}

const lists: List[] = [
  {
    kind: 'users',
    make: (tenantId) => aUser(tenantId),
    insert: (store, user) => store.users.insert(user as never, anAudit('create')),
    list: (store, tenantId, page) => store.users.list(tenantId, page),
    delete: (store, tenantId, id) => store.users.delete(tenantId, id, anAudit('delete')),
  },
  {
    kind: 'applications',
    make: (tenantId) => anApplication(tenantId),
    insert: (store, item) => store.applications.insert(item as never, anAudit('create')),
    list: (store, tenantId, page) => store.applications.list(tenantId, page),
    delete: (store, tenantId, id) => store.applications.delete(tenantId, id, anAudit('delete')),
  },
]

export function describeLists(open: Open): void {
  describe.each(lists)('lists of $kind', ({ make, insert, list, delete: remove }) => {
    async function withItems(count: number) {
      const store = await open()
      const tenant = aTenant()
      const other = aTenant()
      await store.tenants.insert(tenant, anAudit('create'))
      await store.tenants.insert(other, anAudit('create'))
      const items = Array.from({ length: count }, () => make(tenant.id))
      for (const item of items) await insert(store, item)
      await insert(store, make(other.id))
      return { store, tenant, items }
    }

    test('a list of nothing is empty, and that of an unknown tenant undefined', async () => {
      const { store, tenant } = await withItems(0)
      const page = { after: undefined, limit: 10 }
      expect(await list(store, tenant.id, page)).toEqual({ total: 0, items: [], more: false })
      expect(await list(store, 'ten_x', page)).toBeUndefined()
    })

    test('pages of any size meet every item once, in order, with the same total', async () => {
      const { store, tenant, items } = await withItems(7)
      for (const limit of [1, 2, 3, 6, 7, 8, 100]) {
        const seen: Item[] = []
        for (let after: string | undefined; ; after = seen.at(-1)?.id) {
          const page = await list(store, tenant.id, { after, limit })
          expect(page?.total).toBe(7)
          expect(page?.items.length).toBeLessThanOrEqual(limit)
          seen.push(...(page?.items ?? []))
          expect(page?.more).toBe(seen.length < 7)
          if (!page?.more) break
        }
        expect(seen).toEqual(items)
      }
    })

    test('the page after the last item is empty and has the total', async () => {
      const { store, tenant, items } = await withItems(3)
      const after = items.at(-1)?.id
      expect(await list(store, tenant.id, { after, limit: 10 })).toEqual({
        total: 3,
        items: [],
        more: false,
      })
    })

    test('a page goes on after an item that was deleted', async () => {
      const { store, tenant, items } = await withItems(4)
      const [, second, third, fourth] = items
      await remove(store, tenant.id, second?.id ?? '')
      expect(await list(store, tenant.id, { after: second?.id, limit: 10 })).toEqual({
        total: 3,
        items: [third, fourth],
        more: false,
      })
    })

    test('an item whose insert came late is listed in the place of its id', async () => {
      const { store, tenant, items } = await withItems(1)
      const early = make(tenant.id)
      const late = make(tenant.id)
      await insert(store, late)
      await insert(store, early)
      const page = await list(store, tenant.id, { after: undefined, limit: 10 })
      expect(page?.items).toEqual([...items, early, late])
    })

    test('the total counts what is there after parallel inserts and deletions', async () => {
      const { store, tenant, items } = await withItems(20)
      const more = Array.from({ length: 50 }, () => make(tenant.id))
      await Promise.all([
        ...more.map((item) => insert(store, item)),
        ...items.slice(0, 15).map(({ id }) => remove(store, tenant.id, id)),
        remove(store, tenant.id, items[0]?.id ?? ''),
        remove(store, tenant.id, 'unknown'),
      ])
      expect(await list(store, tenant.id, { after: undefined, limit: 100 })).toEqual({
        total: 55,
        items: [...items.slice(15), ...more],
        more: false,
      })
    })
  })
}
