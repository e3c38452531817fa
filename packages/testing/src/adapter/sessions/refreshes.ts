import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { TestRoute } from '../application.ts'
import type { Case } from '../bench.ts'

const digest = (token: string): string => createHash('sha256').update(token).digest('hex')

/** A route that returns a hash of its access token, so that the token is not shown. */
const token = (path: string, force: boolean): TestRoute => ({
  method: 'get',
  path,
  requirement: {},
  async handle({ auth }) {
    try {
      return { body: digest(await auth.accessToken({ force })) }
    } catch (error) {
      return { body: (error as { code: string }).code }
    }
  },
})

const routes = [token('/token', false), token('/force', true)]

export const refreshes: readonly Case[] = [
  [
    'a valid access token is returned without a refresh',
    async ({ open, provider }) => {
      const site = await open({ routes })
      const ada = await site.user()
      const before = provider.count('/token')
      const tokens = [await ada.open('/token'), await ada.open('/token')].map(({ text }) => text)
      assert.equal(new Set(tokens).size, 1)
      assert.equal(provider.count('/token'), before)
    },
  ],
  [
    'an access token that is about to expire is refreshed once, for ten requests at a time',
    async ({ open, provider }) => {
      let ahead = 0
      const now = (): number => Math.floor(Date.now() / 1000) + ahead
      provider.accessTokenSeconds = 60
      const site = await open({ routes, options: { now } })
      const ada = await site.user()
      const before = provider.count('/token')
      ahead = 40
      const answers = await Promise.all(Array.from({ length: 10 }, () => ada.open('/token')))
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
      assert.equal(provider.count('/token'), before + 1)
      assert.equal((await ada.open('/token')).text, answers[0]?.text)
    },
  ],
  [
    'a provider that is down for a moment keeps the session',
    async ({ open, provider }) => {
      const site = await open({ routes })
      const ada = await site.user()
      provider.fault = 'token: server error'
      assert.equal((await ada.open('/force')).text, 'LATCHKEY_REFRESH_UNAVAILABLE')
      assert.equal((await ada.open('/')).text, 'in as ada')
      provider.fault = undefined
      assert.match((await ada.open('/force')).text, /^[0-9a-f]{64}$/)
    },
  ],
  [
    'a refresh token that the provider rejects ends the session',
    async ({ open, provider }) => {
      const site = await open({ routes })
      const ada = await site.user()
      provider.fault = 'invalid_grant'
      assert.equal((await ada.open('/force')).text, 'LATCHKEY_REFRESH_REJECTED')
      assert.equal((await ada.open('/')).text, 'out')
    },
  ],
]
