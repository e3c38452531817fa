import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EARLIEST, LATEST } from '../../src/domain/writes/days.ts'
import { mailDomain } from '../../src/store/email-key.ts'
import { formatTimestamp, parseTimestamp } from '../../src/wire/timestamps.ts'

test('instants that are written one after another are read as they were, microseconds included', () => {
  const instants = fc.array(fc.integer({ min: EARLIEST, max: LATEST }), { minLength: 1 })
  const closeTogether = fc
    .tuple(fc.integer({ min: 0, max: 4e15 }), fc.array(fc.integer({ min: 0, max: 3e6 })))
    .map(([first, later]) => [first, ...later.map((micros) => first + micros)])
  fc.assert(
    fc.property(fc.oneof(instants, closeTogether), (all) => {
      expect(all.map((at) => parseTimestamp(formatTimestamp(at)))).toEqual(all)
    }),
  )
})

test('any instant of the years 0 to 9999 is read as one that can be stored and written', () => {
  const min = new Date('0000-01-01T00:00:00Z')
  const texts = fc
    .tuple(
      fc.date({ min, max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }),
      fc.constantFrom('Z', '+00:00', '-00:00', '+23:59', '-23:59'),
    )
    .map(([date, offset]) => date.toISOString().replace('Z', offset))
  fc.assert(
    fc.property(texts, (text) => {
      const at = parseTimestamp(text) ?? Number.NaN
      expect(at).toSatisfy(Number.isSafeInteger)
      const real = Date.parse(text) * 1_000
      expect(at).toBe(Math.min(Math.max(real, EARLIEST), LATEST))
      const written = formatTimestamp(at)
      expect(written).toMatch(/^\d{4}-/)
      expect(parseTimestamp(written)).toBe(at)
    }),
  )
})

test('a timestamp on a day that does not exist is refused', () => {
  const parts = fc.tuple(
    fc.integer({ min: 0, max: 9999 }),
    fc.integer({ min: 0, max: 13 }),
    fc.integer({ min: 0, max: 32 }),
  )
  fc.assert(
    fc.property(parts, ([year, month, day]) => {
      const two = (n: number) => String(n).padStart(2, '0')
      const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
      const date = new Date(0)
      date.setUTCFullYear(year, month - 1, day)
      const isReal = date.toISOString().startsWith(text)
      expect(parseTimestamp(`${text}T00:00:00Z`) !== undefined).toBe(isReal)
      expect(parseTimestamp(`${text}T24:00:00Z`)).toBeUndefined()
    }),
    { numRuns: 1_000 },
  )
})

test('the domain of an address is the one that the DNS knows, by the rules of IDNA', () => {
  const label = fc.oneof(
    fc.constantFrom(
      'xn--exmple-cua',
      'xn--',
      'exämple',
      '0x7f',
      '127',
      'com',
      'ab--c',
      '-a',
      'x_y',
    ),
    fc.string({ unit: fc.constantFrom(...'axn019-'), maxLength: 6 }),
  )
  const domains = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'))
  fc.assert(
    fc.property(domains, (domain) => {
      const known = domainToASCII(domain)
      const isDomain = !known.split('.').includes('') && isIP(known) === 0
      expect(mailDomain(domain)).toBe(isDomain ? known : undefined)
    }),
    { numRuns: 2_000 },
  )
})
