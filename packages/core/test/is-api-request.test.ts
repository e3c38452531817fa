import { isApiRequest } from '@latchkey/core'
import { expect, test } from 'vitest'

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

test.each<[string, 'page' | 'program', Record<string, string>, string?]>([
  [
    'a person follows a link',
    'page',
    { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
  ],
  ['a frame loads', 'page', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
  [
    'a form is sent',
    'page',
    { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    'POST',
  ],
  [
    'an object element loads',
    'program',
    { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'object' },
  ],
  ['fetch() of a script', 'program', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
  ['fetch() that asks for HTML', 'program', { 'sec-fetch-mode': 'cors', accept: 'text/html' }],
  ['an image', 'program', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
  ['a web socket', 'program', { 'sec-fetch-mode': 'websocket' }],
  ['an old browser', 'page', { accept: browserAccept }],
  ['an old browser sends a form', 'page', { accept: browserAccept }, 'POST'],
  ['jQuery', 'program', { accept: '*/*', 'x-requested-with': 'XMLHttpRequest' }],
  [
    'jQuery that asks for HTML',
    'program',
    { accept: browserAccept, 'x-requested-with': 'xmlhttprequest' },
  ],
  ['fetch() of an old browser, or curl', 'program', { accept: '*/*' }],
  ['no Accept at all', 'program', {}],
  ['JSON only', 'program', { accept: 'application/json' }],
  ['JSON preferred', 'program', { accept: 'text/html;q=0.8, application/json' }],
  ['HTML preferred', 'page', { accept: 'application/json;q=0.5, text/html;q=0.9' }],
  ['problem details preferred', 'program', { accept: 'application/problem+json, text/html;q=0.1' }],
  ['HTML refused', 'program', { accept: 'text/html;q=0, */*' }],
  ['XHTML', 'page', { accept: 'application/xhtml+xml' }],
  ['an unreadable q-value', 'program', { accept: 'text/html;q=.' }],
  ['PUT', 'program', { accept: browserAccept }, 'PUT'],
  ['DELETE', 'program', { accept: browserAccept }, 'DELETE'],
  ['HEAD of a page', 'page', { accept: browserAccept }, 'HEAD'],
])('%s is a %s', (_name, kind, headers, method = 'GET') => {
  const request = { method, headers: new Headers(headers) }

  expect(isApiRequest(request)).toBe(kind === 'program')
})

test('an Accept header of a megabyte costs nothing', () => {
  const headers = new Headers({ accept: 'a/b,'.repeat(250_000) })

  expect(isApiRequest({ method: 'GET', headers })).toBe(true)
})
