import assert from 'node:assert/strict'
import { type Case, cookiesOf } from '../bench.ts'

const OWN = 'http://localhost:3000'
const OTHER = 'https://admin.example'

/** The headers of a request from a page of another origin. */
const ELSEWHERE: readonly Record<string, string>[] = [
  { 'sec-fetch-site': 'same-site', origin: 'http://sibling.localhost:3000' },
  { 'sec-fetch-site': 'cross-site', origin: OWN },
  { 'sec-fetch-site': 'none' },
  { origin: OTHER },
  { origin: `${OWN}.evil.example` },
  { origin: 'null' },
]

export const writes: readonly Case[] = [
  [
    'a form of another site, or of a sibling host, is refused although the session is valid',
    async ({ open }) => {
      const site = await open({ parser: 'after' })
      const ada = await site.user()
      for (const headers of ELSEWHERE) {
        const answer = await ada.post('/private', { a: 1 }, headers)
        assert.equal(answer.status, 403, JSON.stringify(headers))
        assert.match(answer.text, /LATCHKEY_REQUEST_FORGED/)
        assert.deepEqual(cookiesOf(answer), [])
      }
      assert.deepEqual(site.handled, [])
      assert.equal((await ada.open('/private')).text, 'private to ada')
    },
  ],
  [
    'a write that does not say where it comes from is refused, as a logout is',
    async ({ open }) => {
      const site = await open({ parser: 'after' })
      assert.equal((await (await site.user()).post('/private', {}, {})).status, 403)
      assert.deepEqual(site.handled, [])
    },
  ],
  [
    'a form of the same site passes the guard, by Sec-Fetch-Site and by Origin',
    async ({ open }) => {
      const site = await open({ parser: 'after' })
      const ada = await site.user()
      for (const headers of [
        { 'sec-fetch-site': 'same-origin', origin: 'null' },
        { origin: OWN },
      ]) {
        assert.equal((await ada.post('/private', {}, headers)).text, 'sent')
      }
    },
  ],
  [
    'a page of another site may lead to a guarded page',
    async ({ open }) => {
      const site = await open({ parser: 'after' })
      const { agent } = await site.user()
      const answer = await agent
        .get('/private')
        .set({ 'sec-fetch-site': 'cross-site', origin: OTHER })
      assert.equal(answer.text, 'private to ada')
    },
  ],
  [
    'a WebSocket of another site is refused although it is a GET',
    async ({ open }) => {
      const site = await open()
      const { agent } = await site.user()
      const ask = (origin: string) =>
        agent.get('/private').set({ origin, upgrade: 'websocket', connection: 'upgrade' })
      for (const origin of [OTHER, `${OWN}.evil.example`, 'null']) {
        assert.equal((await ask(origin)).status, 403, origin)
      }
      assert.equal((await ask(OWN)).status, 200)
    },
  ],
  [
    'an origin that is trusted may send writes and log out, and no other may',
    async ({ open }) => {
      const site = await open({ parser: 'after', options: { trustedOrigins: [OTHER] } })
      const ada = await site.user()
      const post = async (path: string, origin: string): Promise<number> => {
        const headers = { 'sec-fetch-site': 'cross-site', origin }
        return (await ada.post(path, {}, headers)).status
      }
      assert.equal(await post('/private', OTHER), 200)
      assert.equal(await post('/private', `${OTHER}.evil.example`), 403)
      assert.equal(await post('/logout', 'https://evil.example'), 403)
      assert.equal((await ada.open('/')).text, 'in as ada')
      await post('/logout', OTHER)
      assert.equal((await ada.open('/')).text, 'out')
    },
  ],
  [
    'with trustedOrigins "any", every site may send writes, and none may log the user out',
    async ({ open }) => {
      const site = await open({ parser: 'after', options: { trustedOrigins: 'any' } })
      const ada = await site.user()
      for (const headers of [...ELSEWHERE, {}]) {
        assert.equal((await ada.post('/private', {}, headers)).text, 'sent')
        assert.equal((await ada.post('/logout', {}, headers)).status, 403)
      }
    },
  ],
]
