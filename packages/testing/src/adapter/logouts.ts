import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { TestRoute } from './application.ts'
import { BASE_URL, type Case, cookieOf, NO_NOTICES, withCookie } from './bench.ts'

const LINK = {
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-user': '?1',
}

/** A stream that ends when the signal is aborted. */
async function* untilAborted(ended: AbortSignal): AsyncGenerator<string> {
  yield 'Hello'
  await once(ended, 'abort')
}

/** Browsers, and whether they clear their cache at a logout without delay for the user. */
const BROWSERS = [
  ['Version/26.0 Safari/605.1.15', true],
  ['Gecko/20100101 Firefox/140.0', true],
  ['AppleWebKit/605.1.15 CriOS/143.0 Mobile/15E148 Safari/604.1', true],
  ['Chrome/143.0.0.0 Safari/537.36', false],
  ['Chrome/143.0.0.0 Safari/537.36 Edg/143.0', false],
] as const

export const logouts: readonly Case[] = [
  [
    'a logout tells the browser to clear its cache, unless that keeps the user waiting for seconds',
    async ({ open }) => {
      const site = await open()
      for (const [browser, isCleared] of BROWSERS) {
        const { agent } = await site.user()
        const asked = agent.post('/logout').set({ origin: BASE_URL, 'user-agent': browser })
        const header = (await asked).headers['clear-site-data']
        assert.equal(header, isCleared ? '"cache"' : undefined, browser)
      }
    },
  ],
  [
    'the signal of an open connection is aborted when its session ends, and that of another session is not',
    async ({ open }) => {
      const ends: AbortSignal[] = []
      const isOpen = Promise.withResolvers<void>()
      const route: TestRoute = {
        method: 'get',
        path: '/stream',
        requirement: {},
        async handle({ auth }) {
          const ended = auth.ended()
          if (ends.push(ended) === 2) isOpen.resolve()
          const body = Readable.from(untilAborted(ended))
          return { headers: [['content-type', 'text/plain']], body }
        },
      }
      const site = await open({ routes: [route] })
      const users = [await site.user(), await site.user()]
      const streams = users.map(async (user) => (await user.open('/stream')).text)
      await isOpen.promise
      await users[0]?.post('/logout')
      assert.equal(await streams[0], 'Hello')
      assert.equal(ends.filter(({ aborted }) => aborted).length, 1)
      await users[1]?.post('/logout')
      assert.equal(await streams[1], 'Hello')
    },
  ],
  [
    'a response or stream that has ended is not notified when its session ends',
    async ({ open }) => {
      const ends: AbortSignal[] = []
      const route = (path: string, body: () => string | Readable): TestRoute => ({
        ...{ method: 'get', path, requirement: {} },
        async handle({ auth }) {
          ends.push(auth.ended())
          return { headers: [['content-type', 'text/plain']], body: body() }
        },
      })
      const site = await open({
        routes: [
          route('/text', () => 'Hello'),
          route('/stream', () => Readable.from(['Hel', 'lo'])),
        ],
      })
      const ada = await site.user()
      for (const path of ['/text', '/stream']) assert.equal((await ada.open(path)).text, 'Hello')
      await ada.post('/logout')
      assert.deepEqual(
        ends.map(({ aborted }) => aborted),
        [false, false],
      )
    },
  ],
  [
    'a logout form ends the session and redirects to the provider’s logout',
    async ({ open, provider }) => {
      const site = await open()
      const ada = await site.user()
      const answer = await ada.agent
        .post('/logout')
        .set({ origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' })
      assert.ok([200, 303].includes(answer.status))
      const onward = String(answer.headers.location ?? answer.headers.refresh)
      assert.ok(onward.includes(`${provider.issuer}/logout?`), onward)
      assert.ok(onward.includes('id_token_hint='))
      assert.equal((await ada.open('/')).text, 'out')
    },
  ],
  [
    'a copy of the session cookie is refused after a logout',
    async ({ open }) => {
      const site = await open()
      const ada = site.visitor()
      const session = cookieOf(await ada.logIn())
      assert.equal((await withCookie(site, '/', `latchkey=${session}`)).text, 'in as ada')
      await ada.post('/logout')
      assert.equal((await withCookie(site, '/', `latchkey=${session}`)).text, 'out')
    },
  ],
  [
    'where the ID token is large, a logout names the session to providers that support it, and the user to others',
    async ({ open, provider }) => {
      provider.user = { sub: 'ada', groups: ['x'.repeat(1_700)] }
      for (const supported of [undefined, true, 'sub', 'sid']) {
        provider.metadata = { latchkey_logout_hint: supported }
        const site = await open()
        const { agent } = await site.user()
        const sent = await agent.post('/logout').set({ origin: BASE_URL })
        const onward = String(sent.headers.location ?? sent.headers.refresh)
        const { searchParams } = new URL(onward.replace(/^.*?url=/, ''))
        const hint = supported === 'sid' ? provider.issuedSids().at(-1) : 'ada'
        assert.equal(searchParams.get('logout_hint'), hint, String(supported))
        assert.equal(searchParams.get('client_id'), provider.clientId)
        assert.equal(searchParams.has('id_token_hint'), false)
      }
    },
  ],
  [
    'a link to the logout shows a question, unless a user followed it on the same site',
    async ({ open }) => {
      const site = await open()
      const ada = await site.user()
      const asked = await ada.open('/logout')
      assert.match(asked.text, /<form method="post" action="\/logout">/)
      assert.equal((await ada.open('/')).text, 'in as ada')
      await ada.agent.get('/logout').set(LINK)
      assert.equal((await ada.open('/')).text, 'out')
    },
  ],
  [
    'a logout form of another site is refused, by Sec-Fetch-Site and by Origin',
    async ({ open }) => {
      const site = await open()
      const ada = await site.user()
      for (const headers of [
        { 'sec-fetch-site': 'cross-site', origin: 'http://localhost:3000' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://evil.example' },
        { origin: 'null' },
        {},
      ]) {
        const answer = await ada.post('/logout', {}, headers as Record<string, string>)
        assert.equal(answer.status, 403, JSON.stringify(headers))
      }
      assert.equal((await ada.open('/')).text, 'in as ada')
    },
  ],
  [
    'a logout without a session ends on this site',
    async ({ open }) => {
      const site = await open()
      const answer = await site.visitor().post('/logout')
      assert.equal(answer.status, 303)
      assert.equal(answer.headers.location, '/')
    },
  ],
  [
    'a logout ends the session although the provider is down',
    async ({ open, provider }) => {
      const site = await open()
      const ada = await site.user()
      provider.fault = 'discovery: down'
      await ada.post('/logout')
      assert.equal((await ada.open('/')).text, 'out')
    },
  ],
  [
    'a logout token for one session of the provider ends only that one',
    async ({ open, provider }) => {
      const site = await open()
      const [first, second] = [await site.user(), await site.user()]
      const sid = provider.issuedSids().at(-1)
      const token = provider.logoutToken({ sub: 'ada', sid })
      const answer = await site.visitor().post('/backchannel-logout', { logout_token: token }, {})
      assert.equal(answer.status, 200)
      assert.equal((await first.open('/')).text, 'in as ada')
      assert.equal((await second.open('/')).text, 'out')
    },
    NO_NOTICES,
  ],
  [
    'a logout token for another client, with a wrong signature or sent twice ends nothing',
    async ({ open, provider }) => {
      const site = await open()
      const post = (token: string): Promise<{ status: number }> =>
        site.visitor().post('/backchannel-logout', { logout_token: token }, {})
      const good = provider.logoutToken({ sub: 'ada' })
      assert.equal((await post(good)).status, 200)
      const ada = await site.user()
      const changed = `${good.slice(0, -8)}AAAAAAAA`
      const others = [provider.logoutToken({ sub: 'ada', aud: 'another' }), changed, 'x', '']
      for (const token of others) assert.equal((await post(token)).status, 400)
      await post(good)
      assert.equal((await ada.open('/')).text, 'in as ada')
    },
    NO_NOTICES,
  ],
  [
    'after a logout token a late answer brings no session back',
    async ({ open, provider }) => {
      const site = await open({
        routes: [
          {
            method: 'get',
            path: '/slow',
            requirement: {},
            async handle({ data }) {
              const logout_token = provider.logoutToken({ sub: 'ada' })
              await site.visitor().post('/backchannel-logout', { logout_token }, {})
              await Promise.resolve(data.set({ cart: ['tea'] })).catch(() => {})
              return { body: 'slow' }
            },
          },
        ],
      })
      const ada = await site.user()
      await ada.open('/slow')
      assert.equal((await ada.open('/')).text, 'out')
    },
    NO_NOTICES,
  ],
]
