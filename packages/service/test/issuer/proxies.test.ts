import { expect, test } from 'vitest'
import { createClientIp } from '../../src/wire/client.ts'

/** Warnings of a {@link createClientIp}, and what it makes of a request. */
function aReader(trustedProxies: readonly string[]) {
  const warnings: object[] = []
  const logger = {
    debug() {},
    warn: (facts: object, message: string) => warnings.push({ ...facts, message }),
  }
  const clientIp = createClientIp(trustedProxies, logger)
  const read = (remoteAddress: string, forwarded?: string) =>
    clientIp({
      socket: { remoteAddress },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    } as never)
  return { read, warnings }
}

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:5678', '203.0.113.7'],
  ['[2001:db8::7]:5678', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['2001:DB8:0:0:0:0:0:7', '2001:db8::7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
  ['203.0.113.7, 10.1.2.3:80', '203.0.113.7'],
  ['198.51.100.1, unknown', '10.0.0.1'],
  ['', '10.0.0.1'],
])('behind a trusted proxy, X-Forwarded-For: %s is the client %s', (forwarded, client) => {
  const { read, warnings } = aReader(['10.0.0.0/8'])

  expect(read('10.0.0.1', forwarded)).toBe(client)
  expect(read('::ffff:10.0.0.1', forwarded)).toBe(client)
  expect(warnings).toEqual([])
})

test('a forwarding header from an address that is not trusted is not believed, and is logged once with what to configure', () => {
  const { read, warnings } = aReader([])

  expect(read('192.0.2.1')).toBe('192.0.2.1')
  expect(warnings).toEqual([])
  for (let i = 0; i < 3; i++) expect(read('192.0.2.1', `203.0.113.${i}`)).toBe('192.0.2.1')

  expect(warnings).toEqual([
    { address: '192.0.2.1', message: expect.stringContaining('trustedProxies') },
  ])
  expect(read('192.0.2.2', '203.0.113.7')).toBe('192.0.2.2')
  expect(warnings).toHaveLength(2)
})

test('a flood of addresses with forwarding headers does not flood the log', () => {
  const { read, warnings } = aReader([])

  for (let i = 0; i < 200; i++) read(`192.0.2.${i}`, '203.0.113.7')

  expect(warnings.length).toBeLessThanOrEqual(10)
})

test.each(['10.0.0.0/33', 'proxy.internal', ''])('"%s" is refused as a trusted proxy', (text) => {
  expect(() => createClientIp([text], { warn() {} })).toThrow(TypeError)
})
