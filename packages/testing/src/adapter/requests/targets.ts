import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { sendRaw } from '../../raw-request.ts'
import { assertPrivate, type Case, cookieOf, cookiesOf, portOf } from '../bench.ts'

/** Spellings of `/private` that a guard by path and a router may read differently. */
const SPELLINGS = [
  '//private',
  '///private',
  '/private/',
  '/private//',
  '/%70rivate',
  '/%2Fprivate',
  '/private%2F',
  '/private;x=1',
  '/\\private',
  '/PRIVATE',
  '/./private',
  '/plain/../private',
  '/login/../private',
  '/plain%2F..%2Fprivate',
  '/private%00',
  '/private?/login',
  '/private?x=/plain',
  '/private#/plain',
  'http://localhost:3000/private',
  'http://evil.example/private',
  'http://localhost:3000//private',
] as const

export const targets: readonly Case[] = [
  ...SPELLINGS.map(
    (target): Case => [
      `the target ${target} reaches a guarded handler through its guard only`,
      async ({ open }) => {
        const site = await open()
        const { status, text } = await sendRaw(portOf(site.server), 'GET', target)
        assert.deepEqual(site.handled, [])
        assert.ok(status >= 300 && status < 500, `${status}`)
        assert.doesNotMatch(text, /private to/)
      },
    ],
  ),
  [
    'a HEAD request is guarded as a GET is',
    async ({ open }) => {
      const site = await open()
      const { agent } = site.visitor()
      const refused = await agent.head('/private')
      assert.equal(refused.status, 401)
      assert.deepEqual(site.handled, [])
      const ada = await site.user()
      assertPrivate(await ada.agent.head('/private'))
    },
  ],
  [
    'a HEAD request of the callback uses up no login',
    async ({ open }) => {
      const site = await open()
      const visitor = site.visitor()
      const path = await site.authorize(await visitor.open('/login'))
      assert.equal(cookieOf(await visitor.agent.head(path)), undefined)
      assert.ok(cookieOf(await visitor.open(path)))
    },
  ],
  [
    'a HEAD request of the logout ends no session',
    async ({ open }) => {
      const site = await open()
      const ada = await site.user()
      await ada.agent.head('/logout')
      assert.equal((await ada.open('/')).text, 'in as ada')
    },
  ],
  ...['OPTIONS', 'TRACE', 'DELETE', 'PROPFIND'].map(
    (method): Case => [
      `a request by ${method} runs no guarded handler and starts no login`,
      async ({ open }) => {
        const site = await open()
        const { status, text } = await sendRaw(portOf(site.server), method, '/private')
        assert.deepEqual(site.handled, [])
        assert.ok(status >= 200 && status < 600, text)
        assert.doesNotMatch(text, /private to|sent$/)
      },
    ],
  ),
  [
    'a preflight request to a route of the kit changes nothing',
    async ({ open }) => {
      const site = await open()
      const ada = await site.user()
      const answer = await ada.agent
        .options('/logout')
        .set('origin', 'https://evil.example')
        .set('access-control-request-method', 'POST')
      assert.equal(answer.headers['access-control-allow-origin'], undefined)
      assert.deepEqual(cookiesOf(answer), [])
      assert.equal((await ada.open('/')).text, 'in as ada')
    },
  ],
  [
    'an upgrade that nothing takes is guarded as a request',
    async ({ open }) => {
      const site = await open()
      const asking = httpRequest({
        ...{ host: '127.0.0.1', port: portOf(site.server), path: '/private' },
        headers: {
          ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        },
      })
      let upgraded = false
      asking.on('upgrade', () => {
        upgraded = true
      })
      asking.on('error', () => {})
      // Some frameworks leave the connection open.
      asking.setTimeout(2000, () => asking.destroy())
      asking.end()
      const [answer] = (await Promise.race([
        once(asking, 'response'),
        once(asking, 'close').then(() => [undefined]),
      ])) as [IncomingMessage | undefined]
      answer?.resume()
      assert.deepEqual([upgraded, site.handled], [false, []])
      if (answer) assert.equal(answer.statusCode, 401)
    },
  ],
]
