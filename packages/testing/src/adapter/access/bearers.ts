import assert from 'node:assert/strict'
import type { TestRoute } from '../application.ts'
import { assertPrivate, BASE_URL, type Case, cookiesOf } from '../bench.ts'

const API: TestRoute = {
  method: 'post',
  path: '/api',
  requirement: { accept: ['session', 'bearer'], scopes: ['notes'] },
  handle: async ({ user, auth }) => ({ body: `${user().sub} ${auth.isAuthenticated}` }),
}
const setup = { routes: [API], options: { bearer: { audience: 'https://api.example' } } }

export const bearers: readonly Case[] = [
  [
    'a bearer token lets its user in where the guard accepts one, from any page, and makes no session',
    async ({ open, provider }) => {
      const site = await open(setup)
      const token = provider.accessToken({ sub: 'bob', scope: 'openid notes' })
      const answer = await site
        .request(site.server)
        .post('/api')
        .set({ authorization: `Bearer ${token}`, origin: 'https://elsewhere.example' })
      assert.equal(answer.text, 'bob true')
      assert.deepEqual(cookiesOf(answer), [])
      assertPrivate(answer)
      const refused = await site
        .request(site.server)
        .get('/private')
        .set({ authorization: `Bearer ${token}` })
      assert.equal(refused.status, 401)
    },
  ],
  [
    'a bearer token that is wrong, lacks a scope or is missing is answered as RFC 6750 has it',
    async ({ open, provider }) => {
      const site = await open(setup)
      const ask = (token?: string) =>
        site
          .request(site.server)
          .post('/api')
          .set(token ? { authorization: `Bearer ${token}` } : {})
      for (const [token, status, challenge] of [
        [provider.accessToken({ aud: 'https://other.example' }), 401, /error="invalid_token"/],
        [provider.accessToken({}), 403, /error="insufficient_scope", scope="notes"/],
        [undefined, 401, /^Bearer realm="localhost:3000", Session error="login_required"$/],
      ] as const) {
        const answer = await ask(token)
        assert.equal(answer.status, status)
        assert.match(String(answer.headers['www-authenticate']), challenge)
      }
      assert.deepEqual(site.handled, [])
      const { agent } = await site.user()
      assert.equal((await agent.post('/api').set({ origin: BASE_URL })).text, 'ada true')
    },
  ],
  [
    'a guard that accepts bearer tokens without the option is refused when it is added, or answers 500 with a log line',
    async ({ open }) => {
      const lines: string[] = []
      const error = ({ code }: { code: string }, message: string): void =>
        void lines.push(`${code}: ${message}`)
      const logger = { info() {}, warn() {}, error } as never
      try {
        const site = await open({ routes: [API], options: { logger } })
        assert.equal((await site.visitor().post('/api')).status, 500)
        assert.deepEqual(site.handled, [])
      } catch (refused) {
        lines.push(`${(refused as { code?: string }).code}: ${(refused as Error).message}`)
      }
      assert.equal(lines.length, 1)
      assert.match(String(lines[0]), /^LATCHKEY_CONFIG_INVALID: .*"bearer" is not set/s)
    },
  ],
]
