import { safeReturnTo } from '@latchkey/core'
import { expect, test } from 'vitest'

const base = new URL('https://app.example.com')

const attacks = [
  'https://evil.example',
  'https://evil.example/',
  'http://evil.example',
  'HTTPS://EVIL.EXAMPLE',
  'https:evil.example',
  'https:/evil.example/..//evil.example',
  'https:///evil.example',
  'https:////evil.example',
  'https:\\\\evil.example',
  'https:/\\evil.example',
  'http:evil.example',
  'http:/evil.example',
  'http://app.example.com/',
  'https://app.example.com.evil.example/',
  'https://app.example.com@evil.example/',
  'https://app.example.com:443@evil.example/',
  'https://app.example.com:8443/',
  'https://app.example.com%2eevil.example/',
  'https://app.example.com%00.evil.example/',
  'https://evil.example\\@app.example.com/',
  'https://evil.example#@app.example.com',
  'https://evil.example?@app.example.com',
  'https://sub.app.example.com/',
  'https://example.com/',
  'https://evilapp.example.com/',
  '//evil.example',
  '///evil.example',
  '////evil.example',
  '//evil.example/%2f..',
  '//evil.example/..',
  '//evil.example:443/',
  '//app.example.com@evil.example',
  '//[::1]/',
  '//127.0.0.1/',
  '//0x7f.1/',
  '//evil%E3%80%82example',
  '//ⓔvil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/./..//evil.example',
  '/a/..//evil.example',
  '/%2e//evil.example',
  '/%2e%2e//evil.example',
  './/evil.example',
  '..//evil.example',
  '\\\\evil.example',
  '\\/evil.example',
  '/\\evil.example',
  '/\\/evil.example',
  '/\\\\evil.example',
  '\\evil.example',
  '/path\\..\\..\\evil',
  '/\tevil',
  '/\t/evil.example',
  '\t//evil.example',
  '/\n/evil.example',
  '/\r\n/evil.example',
  '/\r\nSet-Cookie: a=b',
  '/ok\r\nLocation: https://evil.example',
  '/%0d%0a\r\n',
  '\u0000//evil.example',
  '/\u0000/evil.example',
  ' //evil.example',
  ' https://evil.example',
  '\u00a0//evil.example',
  '\u2028//evil.example',
  '\u2029//evil.example',
  '\ufeff//evil.example',
  '/\u0085/evil.example',
  '\u000b//evil.example',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'javascript://app.example.com/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'ftp://app.example.com/',
  'blob:https://app.example.com/0',
  'view-source:https://app.example.com/',
  'about:blank',
  'mailto:a@evil.example',
  'ws://app.example.com/',
  'filesystem:https://app.example.com/',
  'https://',
  'https://[',
  '//',
  '///',
  `/${'a'.repeat(2000)}`,
]

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

test('what is refused is never merely repaired: /.// leads home', () => {
  expect(safeReturnTo('/.//evil.example', base)).toBe('/')
})
