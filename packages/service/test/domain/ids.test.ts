import { expect, test } from 'vitest'
import { newId } from '../../src/domain/writes/ids.ts'

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'

/** The 128 bits that an id holds. */
function bitsOf(id: string): bigint {
  let value = 0n
  for (const character of id.slice(4)) {
    value = value * 32n + BigInt(CROCKFORD.indexOf(character))
  }
  return value
}

test('an id is its prefix and 26 characters of Crockford base32', () => {
  for (const prefix of ['ten', 'app', 'usr', 'key'] as const) {
    const id = newId(prefix, { now: () => Date.now() })
    expect(id).toMatch(new RegExp(`^${prefix}_[0-7][${CROCKFORD}]{25}$`))
  }
})

test('an id holds a UUIDv7: milliseconds in 48 bits, version 7, variant 10', () => {
  const now = Date.now() + 60_000
  const bits = bitsOf(newId('usr', { now: () => now }))

  expect(bits >> 80n).toBe(BigInt(now))
  expect((bits >> 76n) & 0xfn).toBe(7n)
  expect((bits >> 62n) & 0b11n).toBe(0b10n)
})

test('ids sort in the order in which they were made, also within one millisecond', () => {
  const now = Date.now() + 120_000
  const ids = Array.from({ length: 10_000 }, () => newId('usr', { now: () => now }))

  expect([...ids].sort()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

test('ids sort in the order in which they were made when the clock steps back', () => {
  let now = Date.now() + 180_000
  const ids = Array.from({ length: 1_000 }, (_, i) => {
    now += i % 3 === 0 ? -5_000 : 1
    return newId('usr', { now: () => now })
  })

  expect([...ids].sort()).toEqual(ids)
})

test('two ids of one millisecond differ in 62 random bits', () => {
  const now = Date.now() + 240_000
  const random = Array.from({ length: 100 }, () => {
    return bitsOf(newId('usr', { now: () => now })) & ((1n << 62n) - 1n)
  })

  expect(new Set(random).size).toBe(100)
})
