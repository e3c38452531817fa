import assert from 'node:assert/strict'
import type { TestRoute } from '../application.ts'
import { type Case, locationOf, NO_STORE, PAGE, pathOf, type Site, type Visitor } from '../bench.ts'

/** A route behind the guard whose handler sends all visitors to log in. */
const AGAIN: TestRoute = {
  method: 'get',
  path: '/again',
  requirement: {},
  handle: async () => ({
    status: 302,
    headers: [['location', '/login?returnTo=/again']],
    body: 'again',
  }),
}

/** A route that asks for a stronger login than the usual one. */
const STRONG: TestRoute = {
  method: 'get',
  path: '/strong',
  requirement: { acr: ['mfa'] },
  handle: async () => ({ body: 'strong' }),
}

const CODE = /LATCHKEY_LOGIN_LOOP/

export const loops: readonly Case[] = [
  [
    'a guarded route that redirects logged-in users to the login is stopped, and the log says why',
    async ({ open }) => {
      const lines: string[] = []
      const log = (_facts: unknown, text?: string) => void lines.push(String(text))
      const logger = { debug() {}, info() {}, warn: log, error: log }
      const site = await open({ routes: [AGAIN], options: { logger } })
      const { answer, logins } = await follow(site, site.visitor(), '/again')
      assert.equal(logins, 3)
      assert.equal(answer.status, 500)
      assert.match(answer.text, CODE)
      assert.equal(lines.filter((line) => line.includes('The session is there')).length, 1)
    },
  ],
  [
    'a store that loses its sessions causes no endless redirects',
    async ({ open }) => {
      const keepsNothing = {
        get: async () => undefined,
        set: async () => {},
        update: async () => 'ended' as const,
        touch: async () => {},
        destroy: async () => {},
      }
      const site = await open({ store: keepsNothing })
      const { answer, logins } = await follow(site, site.visitor(), '/private?a=1')
      assert.equal(logins, 3)
      assert.equal(answer.status, 500)
      assert.match(answer.text, CODE)
      assert.doesNotMatch(answer.text, /a=1/)
    },
    NO_STORE,
  ],
  [
    'a login that expired at the provider, as another tab logged in, begins again once, and no more',
    async ({ open, provider }) => {
      const site = await open()
      provider.fault = 'authentication_expired'
      const visitor = site.visitor()
      const begun = await visitor.open('/private')
      const again = await visitor.open(await site.authorize(begun))
      assert.equal(locationOf(again).origin, new URL(provider.issuer).origin)
      const refused = await visitor.open(await site.authorize(again))
      assert.equal(refused.status, 403)
      assert.match(refused.text, /LATCHKEY_LOGIN_DENIED/)
      provider.fault = undefined
      const { answer } = await follow(site, visitor, '/private')
      assert.equal(answer.text, 'private to ada')
    },
  ],
  [
    'a stronger login whose code the provider always refuses begins again once, and the session stays',
    async ({ open, provider }) => {
      const site = await open({ routes: [STRONG] })
      const ada = await site.user()
      provider.fault = 'invalid_grant'
      const { answer, logins } = await follow(site, ada, '/strong')
      assert.equal(logins, 2)
      assert.match(answer.text, /LATCHKEY_CODE_REFUSED/)
      assert.equal((await ada.open('/private')).text, 'private to ada')
      provider.fault = undefined
      provider.user = { ...provider.user, acr: 'mfa' }
      assert.equal((await follow(site, ada, '/strong')).answer.text, 'strong')
    },
  ],
  [
    'a route that redirects to the login is stopped as well where the provider always refuses the code',
    async ({ open, provider }) => {
      const site = await open({ routes: [AGAIN] })
      const ada = await site.user()
      provider.fault = 'invalid_grant'
      const { answer, logins } = await follow(site, ada, '/again')
      assert.equal(logins, 3)
      assert.match(answer.text, CODE)
    },
  ],
  [
    'a stronger login that has ended is not asked for again by the back button, however late',
    async ({ open }) => {
      let later = 0
      const now = (): number => Math.floor(Date.now() / 1000) + later
      const site = await open({ options: { now } })
      const ada = await site.user()
      const begun = await ada.open('/login?max_age=60&returnTo=/plain')
      later = 5
      const callback = await site.authorize(begun)
      assert.equal(pathOf(await ada.open(callback)), '/plain')
      later = 500
      assert.equal(pathOf(await ada.open(callback)), '/plain')
    },
  ],
  [
    'a visitor may log in to the same page several times, after a logout or with a click in between',
    async ({ open }) => {
      const site = await open()
      const visitor = site.visitor()
      for (let times = 0; times < 4; times++) {
        const { answer } = await follow(site, visitor, '/private')
        assert.equal(answer.text, 'private to ada')
        await visitor.post('/logout')
      }
      for (let times = 0; times < 4; times++) {
        const { answer } = await follow(site, visitor, '/login?returnTo=/plain')
        assert.equal(answer.text, 'plain')
      }
    },
  ],
]

/**
 * Follows every redirect like a browser, also through the provider. After a redirect from the
 * provider, requests have `Sec-Fetch-Site: cross-site`. Resolves to the last response and the
 * number of logins.
 */
async function follow(site: Site, { agent }: Visitor, path: string) {
  let logins = 0
  let from = 'none'
  const open = (where: string) => agent.get(where).set({ ...PAGE, 'sec-fetch-site': from })
  let answer = await open(path)
  for (let steps = 0; answer.headers.location !== undefined && steps < 40; steps++) {
    let { location } = answer.headers
    if (location.startsWith(site.provider.issuer)) {
      location = await site.authorize(answer)
      logins++
      from = 'cross-site'
    }
    answer = await open(location)
  }
  return { answer, logins }
}
