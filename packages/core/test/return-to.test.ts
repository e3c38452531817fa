import { safeReturnTo } from '@latchkey/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { returnToAttacks as attacks } from '../../testing/src/login/return-to-attacks.ts'

const base = new URL('https://app.example.com')

test('there are at least eighty attacks to refuse', () => {
  expect(new Set(attacks).size).toBeGreaterThanOrEqual(80)
})

test.each(attacks)('returnTo %j never leads to another site', (attack) => {
  const result = safeReturnTo(attack, base)

  const reached = new URL(result, base)
  expect(reached.origin).toBe(base.origin)
  expect(result).toMatch(/^\/(?!\/)/)
  expect(result).not.toMatch(/[\\\s]/)
  expect(safeReturnTo(result, base)).toBe(result)
})

test.each([
  ['/', '/'],
  ['/orders?page=2#row', '/orders?page=2#row'],
  ['orders', '/orders'],
  ['?tab=1', '/?tab=1'],
  ['https://app.example.com/orders', '/orders'],
  ['https://app.example.com:443/orders', '/orders'],
  ['//app.example.com/orders', '/orders'],
  ['/a/../b', '/b'],
  ['/%2f%2fevil.example', '/%2f%2fevil.example'],
  ['/search?next=https://evil.example', '/search?next=https://evil.example'],
  ['/ünïcode', '/%C3%BCn%C3%AFcode'],
])('returnTo %j is kept as %j', (given, kept) => {
  expect(safeReturnTo(given, base)).toBe(kept)
})

test.each([undefined, null, 7, {}, [], ['/a'], true, '', Symbol.iterator])(
  'returnTo that is no text becomes the fallback',
  (value) => {
    expect(safeReturnTo(value, base)).toBe('/')
    expect(safeReturnTo(value, base, '/home')).toBe('/home')
  },
)

test('a refused returnTo is not repaired: /.// leads to the fallback', () => {
  expect(safeReturnTo('/.//evil.example', base)).toBe('/')
})

test('a returnTo made of any characters is kept as a browser would resolve it', () => {
  const part = fc.constantFrom(
    ...['/', '//', '.', '..', '?', '#', '&', '=', '%2f', '@', ':', 'a', 'b-c'],
  )
  const address = fc
    .tuple(fc.constantFrom('', base.origin), fc.array(part, { maxLength: 8 }))
    .map(([origin, parts]) => `${origin}/${parts.join('')}`)
  fc.assert(
    fc.property(address, (given) => {
      const url = URL.parse(given, base.href)
      const path = url ? url.pathname + url.search + url.hash : ''
      const isSafe = url?.origin === base.origin && !path.startsWith('//')
      expect(safeReturnTo(given, base)).toBe(isSafe ? path : '/')
    }),
    { numRuns: 2000 },
  )
})
