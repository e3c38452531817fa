import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mailDomain } from '../../src/store/email-key.ts'
import { formatTimestamp, parseTimestamp } from '../../src/wire/timestamps.ts'

test('instants that are written one after another are read as they were, microseconds included', () => {
  const instants = fc.array(fc.integer({ min: -4e15, max: 4e15 }), { minLength: 1 })
  const closeTogether = fc
    .tuple(fc.integer({ min: 0, max: 4e15 }), fc.array(fc.integer({ min: 0, max: 3e6 })))
    .map(([first, later]) => [first, ...later.map((micros) => first + micros)])
  fc.assert(
    fc.property(fc.oneof(instants, closeTogether), (all) => {
      expect(all.map((at) => parseTimestamp(formatTimestamp(at)))).toEqual(all)
    }),
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
