import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { TestRoute } from '../application.ts'
import { assertPrivate, type Case, cookieOf, portOf } from '../bench.ts'

const numbers: TestRoute = {
  method: 'get',
  path: '/numbers',
  requirement: {},
  handle: async () => ({
    headers: [['content-type', 'text/plain']],
    body: Readable.from(Array.from({ length: 1000 }, (_, n) => Buffer.from(`${n}\n`))),
  }),
}

export const streams: readonly Case[] = [
  [
    'a guarded stream arrives complete, and caches may not store it',
    async ({ open }) => {
      const site = await open({ routes: [numbers] })
      const answer = await (await site.user()).open('/numbers')
      assert.equal(answer.text.split('\n').length, 1001)
      assertPrivate(answer)
    },
  ],
  [
    'a guard decides before the first byte of a stream',
    async ({ open }) => {
      const site = await open({ routes: [numbers] })
      const answer = await site.visitor().call('/numbers')
      assert.equal(answer.status, 401)
      assert.deepEqual(site.handled, [])
    },
  ],
  [
    'events arrive one by one while the answer is still open',
    async ({ open }) => {
      const stream = new Readable({ read: () => {} })
      const site = await open({
        routes: [
          {
            method: 'get',
            path: '/events',
            requirement: {},
            handle: async ({ user }) => {
              stream.push(`data: hello ${user().sub}\n\n`)
              return { headers: [['content-type', 'text/event-stream']], body: stream }
            },
          },
        ],
      })
      const cookie = `latchkey=${cookieOf(await site.visitor().logIn())}`
      const asking = get({
        ...{ host: '127.0.0.1', port: portOf(site.server), path: '/events' },
        headers: { cookie },
      })
      const [answer] = (await once(asking, 'response')) as [IncomingMessage]
      const [first] = (await once(answer.setEncoding('utf8'), 'data')) as [string]
      assert.equal(first, 'data: hello ada\n\n')
      assert.match(String(answer.headers['cache-control']), /private/)
      stream.push('data: bye\n\n')
      const [second] = (await once(answer, 'data')) as [string]
      assert.equal(second, 'data: bye\n\n')
      stream.push(null)
      answer.resume()
      await once(answer, 'end')
    },
  ],
  [
    'a visitor who disconnects during a stream does not affect others',
    async ({ open }) => {
      const stream = new Readable({ read: () => {} })
      const site = await open({
        routes: [
          {
            method: 'get',
            path: '/endless',
            handle: async () => {
              stream.push('first')
              return { body: stream }
            },
          },
        ],
      })
      const asking = get({ host: '127.0.0.1', port: portOf(site.server), path: '/endless' })
      asking.on('error', () => {})
      const [answer] = (await once(asking, 'response')) as [IncomingMessage]
      answer.on('error', () => {})
      asking.destroy()
      stream.push('second')
      stream.push(null)
      assert.equal((await (await site.user()).open('/')).text, 'in as ada')
    },
  ],
]
