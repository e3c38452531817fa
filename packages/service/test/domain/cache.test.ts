import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { createCache } from '../../src/domain/writes/cache.ts'
import type { DomainContext } from '../../src/domain/writes/context.ts'
import { NO_TENANT } from '../../src/store/ports.ts'

/** A cache of values of tenants, with the versions that a store of several processes would report. */
function aCache(tenantOf = ({ tenant }: { tenant: string }) => tenant) {
  const versions = new Map<string | undefined, unknown>()
  const store = { foreignVersion: (tenantId?: string) => versions.get(tenantId) ?? 0 }
  const events = new EventEmitter()
  const context = { store, events } as unknown as DomainContext
  const cache = createCache<{ tenant: string }>(context, {
    name: 'test',
    concerns: /^tenant\./,
    tenantOf,
  })
  const reads: string[] = []
  return {
    reads,
    get: (tenant: string, meanwhile = () => {}) =>
      cache.get(tenant, async () => {
        reads.push(tenant)
        meanwhile()
        return { tenant }
      }),
    /** As a write of another process, once it is heard. */
    hear(tenantId: string, version: unknown = Symbol('write')) {
      versions.set(tenantId, version).set(undefined, version)
    },
    write: (tenantId: string) => events.emit('change', { action: 'tenant.update', tenantId }),
  }
}

test.each(['another process', 'this process'])(
  'a write of a tenant by %s has only its values read again',
  async (who) => {
    const { reads, get, hear, write } = aCache()
    for (const tenant of ['a', 'b']) await get(tenant)
    if (who === 'this process') write('a')
    else hear('a')
    for (const tenant of ['a', 'b', 'a', 'b']) await get(tenant)
    expect(reads).toEqual(['a', 'b', 'a'])
  },
)

test('a value of no tenant is read again after each write that concerns it', async () => {
  const { reads, get, write } = aCache(() => NO_TENANT)
  await get('key')
  write('a')
  await get('key')
  expect(reads).toEqual(['key', 'key'])
})

test('a value that was read while something was written is not cached', async () => {
  const { reads, get, hear, write } = aCache()
  await get('a', () => hear('a'))
  await get('a', () => void write('a'))
  await get('a')
  await get('a')
  expect(reads).toEqual(['a', 'a', 'a'])
})

test('a process that has not heard from the store keeps nothing', async () => {
  const context = {
    store: { foreignVersion: () => Symbol('unknown') },
    events: new EventEmitter(),
  } as unknown as DomainContext
  const cache = createCache<object>(context, {
    name: 'test',
    concerns: /x/,
    tenantOf: () => NO_TENANT,
  })
  let reads = 0
  for (const _ of [1, 2]) await cache.get('x', async () => ({ read: reads++ }))
  expect(reads).toBe(2)
})
