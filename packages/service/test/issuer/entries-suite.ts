import { expect, test } from 'vitest'
import { definedEntries, entry, type Holder, keyOf } from '../../src/domain/writes/entries.ts'
import { createVault } from '../../src/domain/writes/vault.ts'
// Defines every kind.
import '../../src/issuer/index.ts'
import type { StoreUnderTest } from './protocol-store-suite.ts'

/** The kind of record that tests define. */
export const OF_TESTS = 'Fruit'

const fruit = entry<{ name: string; stone: string | undefined }>(OF_TESTS, 60, {
  member: 'stone',
  as: 'sealedStone',
  purpose: (tenantId, id, { name }) => `fruit:${tenantId}:${id}:${name}`,
})

/** The promises of records that expire, on a protocol store. */
export function describeEntries(open: () => Promise<StoreUnderTest>): void {
  const holderOf = ({ store, clock }: StoreUnderTest, vault = createVault(new Uint8Array(32))) =>
    ({
      context: { protocol: store, domain: { clock: { now: () => clock.millis }, vault } },
      tenant: { id: 'ten_1' },
    }) satisfies Holder

  test('every kind of record is found until its lifetime is over', async () => {
    await using under = await open()
    const holder = holderOf(under)
    const value = { email: 'ada@example.com', userId: 'usr_1' }
    const lasting = definedEntries().map((kind) => ({ kind, seconds: kind.seconds ?? 60 }))
    for (const { kind, seconds } of lasting) await kind.put(holder, 'id', value, { seconds })
    for (const { kind, seconds } of lasting.sort((a, b) => a.seconds - b.seconds)) {
      under.clock.millis = START + seconds * 1_000 - 1
      expect((await kind.read(holder, 'id'))?.value, kind.kind).toMatchObject(value)
      under.clock.millis = START + seconds * 1_000
      expect(await kind.read(holder, 'id'), kind.kind).toBeUndefined()
    }
  })

  test('the store has neither the id of a record, nor its token, nor what is sealed', async () => {
    await using under = await open()
    const holder = holderOf(under)
    await fruit.put(holder, 'secret id', { name: 'plum', stone: 'hard' }, { token: 'secret token' })
    const found = await fruit.read(holder, 'secret id')
    expect(found?.value).toEqual({ name: 'plum', stone: 'hard' })
    expect(found?.entry).toMatchObject({ key: keyOf('secret id'), uid: keyOf('secret token') })
    expect(JSON.stringify(found?.entry)).not.toMatch(/secret|hard/)
    expect(JSON.parse(found?.entry.payload ?? '')).toEqual({
      name: 'plum',
      sealedStone: expect.stringMatching(/^v1\./),
    })
  })

  test('a record whose master key is gone is read without what was sealed', async () => {
    await using under = await open()
    await fruit.put(holderOf(under), 'id', { name: 'plum', stone: 'hard' })
    const later = holderOf(under, createVault(new Uint8Array(32).fill(1)))
    expect((await fruit.read(later, 'id'))?.value).toEqual({ name: 'plum', stone: undefined })
  })

  test('a record is spent once, and not when it was replaced since it was read', async () => {
    await using under = await open()
    const holder = holderOf(under)
    await fruit.put(holder, 'id', { name: 'plum', stone: 'hard' })
    const found = await fruit.read(holder, 'id')
    await fruit.put(holder, 'id', { name: 'peach', stone: 'hard' })
    expect(await fruit.spend(holder, 'id', found)).toBe(false)
    const spending = [1, 2, 3].map(() => fruit.spend(holder, 'id'))
    expect((await Promise.all(spending)).filter(Boolean)).toHaveLength(1)
    expect(await fruit.read(holder, 'id')).toMatchObject({
      isSpent: true,
      value: { name: 'peach' },
    })
  })

  test('a record that is replaced expires when it would have', async () => {
    await using under = await open()
    const holder = holderOf(under)
    await fruit.put(holder, { key: 'k' }, { name: 'plum', stone: 'hard' }, { token: 't' })
    under.clock.millis += 30_000
    const found = await fruit.readByToken(holder, 't')
    if (!found) throw new Error('It is not there.')
    await fruit.replace(holder, found, { name: 'plum', stone: 'soft' })
    const again = await fruit.read(holder, { key: 'k' })
    expect(again?.value.stone).toBe('soft')
    expect(again?.entry.expiresAt).toBe(found.entry.expiresAt)
    expect((await fruit.takeByToken(holder, 't'))?.stone).toBe('soft')
    expect(await fruit.takeByToken(holder, 't')).toBeUndefined()
  })

  test('the records of a user are listed, and one is dropped by its key', async () => {
    await using under = await open()
    const holder = holderOf(under)
    const value = { name: 'plum', stone: 'hard' }
    await fruit.put(holder, { key: 'a' }, value, { accountId: 'usr_1' })
    await fruit.put(holder, { key: 'b' }, value, { accountId: 'usr_1' })
    await fruit.drop(holder, { key: 'a' })
    const keys = (await fruit.ofAccount(holder, 'usr_1')).map(({ entry: stored }) => stored.key)
    expect(keys).toEqual(['b'])
    expect(await fruit.ofAccount({ ...holder, tenant: { id: 'ten_2' } }, 'usr_1')).toEqual([])
  })
}

/** The time on the clocks of the stores under test. */
const START = 1_800_000_000_000
