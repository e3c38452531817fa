import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { TestApplication, TestRoute } from '../application.ts'
import { BASE_URL, type Case, locationOf, NO_NOTICES, portOf, type Site } from '../bench.ts'

const echo: TestRoute = {
  method: 'post',
  path: '/echo',
  requirement: {},
  handle: async ({ body }) => ({ body: JSON.stringify(body ?? null) }),
}

const PARSERS: readonly TestApplication['parser'][] = ['before', 'after', 'none']
const MEBIBYTE = Buffer.alloc(1_048_576, 'x')

/**
 * Sends up to 300 MiB until there is a response. Resolves to its status (0 without a response), and
 * to the number of MiB sent before.
 */
export async function flood(
  site: Site,
  path: string,
  headers: Readonly<Record<string, string>> = {
    'content-type': 'application/x-www-form-urlencoded',
  },
): Promise<{ status: number; mebibytes: number }> {
  const sending = httpRequest({
    ...{ host: '127.0.0.1', port: portOf(site.server), path, method: 'POST' },
    headers: { ...headers, host: 'localhost:3000' },
  })
  let status: number | undefined
  let closed = false
  sending.on('error', () => {
    closed = true
  })
  sending.on('response', (answer: IncomingMessage) => {
    status = answer.statusCode
    answer.resume()
  })
  let mebibytes = 0
  while (mebibytes < 300 && status === undefined && !closed) {
    if (!sending.write(MEBIBYTE)) {
      await Promise.race([
        once(sending, 'drain'),
        once(sending, 'response'),
        once(sending, 'close'),
      ])
    }
    mebibytes++
  }
  sending.destroy()
  return { status: status ?? 0, mebibytes }
}

export const bodies: readonly Case[] = [
  ...PARSERS.flatMap((parser): Case[] => [
    [
      `a provider’s logout token arrives, with a body parser ${where(parser)}`,
      async ({ open, provider }) => {
        const site = await open({ parser })
        const ada = await site.user()
        const token = provider.logoutToken({ sub: 'ada' })
        const answer = await site.visitor().post('/backchannel-logout', { logout_token: token }, {})
        assert.equal(answer.status, 200, answer.text)
        assert.equal((await ada.open('/')).text, 'out')
      },
      NO_NOTICES,
    ],
    [
      `a logout form works, with a body parser ${where(parser)}`,
      async ({ open }) => {
        const site = await open({ parser })
        const ada = await site.user()
        await ada.post('/logout', { a: 'b' })
        assert.equal((await ada.open('/')).text, 'out')
      },
    ],
  ]),
  [
    'a form and JSON reach the handler of a guarded route, with a body parser behind the kit',
    async ({ open }) => {
      const site = await open({ parser: 'after', routes: [echo] })
      const ada = await site.user()
      const { agent } = ada
      assert.deepEqual(JSON.parse((await ada.post('/echo', { a: 'b' })).text), { a: 'b' })
      const json = await agent
        .post('/echo')
        .set('origin', BASE_URL)
        .send({ a: ['b'] })
      assert.deepEqual(JSON.parse(json.text), { a: ['b'] })
    },
  ],
  [
    'a logout token as JSON, names of methods and lists in lists cause no server error',
    async ({ open }) => {
      const site = await open({ parser: 'before' })
      const { agent } = site.visitor()
      for (const body of [
        '{"logout_token":{"toString":1}}',
        '[1,2]',
        '{"__proto__":{"state":1}}',
      ]) {
        for (const path of ['/backchannel-logout', '/callback', '/logout']) {
          const answer = await agent.post(path).type('json').send(body)
          assert.ok(answer.status < 500, `${path} ${body} ${answer.status}`)
        }
      }
    },
  ],
  [
    'reading a body of 300 MB stops early, with and without content-length',
    async ({ open }) => {
      const site = await open()
      for (const path of ['/backchannel-logout', '/callback', '/login']) {
        const { status, mebibytes } = await flood(site, path)
        assert.ok(mebibytes < 64, `${path} took ${mebibytes} MiB`)
        assert.ok(status === 413 || status === 0, `${path} answered ${status}`)
      }
      assert.equal((await site.visitor().open('/')).text, 'out')
    },
    NO_NOTICES,
  ],
  [
    'a content-length of 300 MB is answered 413 before the body is sent',
    async ({ open }) => {
      const site = await open()
      const sending = httpRequest({
        ...{ host: '127.0.0.1', port: portOf(site.server), method: 'POST' },
        path: '/backchannel-logout',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': 300_000_000,
        },
      })
      sending.on('error', () => {})
      sending.flushHeaders()
      const [answer] = (await once(sending, 'response')) as [IncomingMessage]
      sending.destroy()
      assert.equal(answer.statusCode, 413)
    },
    NO_NOTICES,
  ],
  [
    'a body of a content type that the framework does not know reaches the kit',
    async ({ open }) => {
      const site = await open({ parser: 'after' })
      const ada = await site.user()
      const answer = await ada.agent
        .post('/logout')
        .set('origin', BASE_URL)
        .set('content-type', 'application/x-unknown')
        .send('a=b')
      assert.ok(locationOf(answer) || answer.text.includes('Continue'))
      assert.equal((await ada.open('/')).text, 'out')
    },
  ],
]

function where(parser: TestApplication['parser']): string {
  return parser === 'none' ? 'nowhere' : parser === 'before' ? 'in front of the kit' : 'behind it'
}
