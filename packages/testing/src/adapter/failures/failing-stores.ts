import assert from 'node:assert/strict'
import type { SessionStore } from '@latchkey/core'
import type { Response } from 'supertest'
import type { TestRequest, TestRoute } from '../application.ts'
import { type Case, NO_STORE, type Site, type Visitor } from '../bench.ts'

type Read = (request: TestRequest) => unknown

/** Every way in which a handler reads or changes a visit. */
const USES: Readonly<Record<string, Read>> = {
  'auth.isAuthenticated': ({ auth }) => auth.isAuthenticated,
  'auth.user': ({ auth }) => auth.user?.sub,
  'auth.session': ({ auth }) => auth.session !== undefined,
  'auth.has()': ({ auth }) => auth.has({ roles: ['reader'] }),
  'auth.idToken()': ({ auth }) => auth.idToken() !== undefined,
  'auth.accessToken()': async ({ auth }) => (await auth.accessToken()) !== '',
  'auth.accessToken({ force })': async ({ auth }) =>
    (await auth.accessToken({ force: true })) !== '',
  'auth.fetchUserInfo()': async ({ auth }) => (await auth.fetchUserInfo()).sub,
  'auth.refreshUser()': async ({ auth }) => (await auth.refreshUser()).sub,
  'auth.ended()': ({ auth }) => auth.ended().aborted,
  'JSON of auth': ({ auth }) => JSON.stringify(auth).length > 0,
  'getUser()': ({ user }) => user().sub,
  'data.get()': async ({ data }) => JSON.stringify(await data.get()),
  'data.set()': async ({ data }) => data.set({ theme: 'light' }),
  'data.clear()': async ({ data }) => data.clear(),
}

const pathOf = (use: string): string => `/${use.replace(/\W+/g, '-')}`

const routes: readonly TestRoute[] = [
  ...Object.entries(USES).map(
    ([use, read]): TestRoute => ({
      method: 'get',
      path: pathOf(use),
      handle: async (request) => ({ body: String(await read(request)) }),
    }),
  ),
  {
    method: 'get',
    path: '/dark',
    handle: async ({ data }) => {
      await data.set({ theme: 'dark' })
      return { body: 'dark' }
    },
  },
]

type Send = (visitor: Visitor, site: Site) => Promise<Response>

/** Every kind of request by a logged-in user that calls the store. */
const REQUESTS: Readonly<Record<string, Send>> = {
  ...Object.fromEntries(
    Object.keys(USES).map((use): [string, Send] => [use, (user) => user.call(pathOf(use))]),
  ),
  'a guarded page': (user) => user.call('/private'),
  'GET /session': (user) => user.call('/session'),
  'POST /logout': (user) => user.post('/logout'),
}

/**
 * Whether a call of the store may fail without an error, because the next touch, or the next check
 * of an open connection, tries again.
 */
function isTolerated(use: string, call: string, at: number): boolean {
  return call === 'touch' || (use === 'auth.ended()' && at > 0)
}

/** Sends the same request several times. Each time, another call of the store fails. */
async function sendFailing(name: string, send: Send, begin: Begin): Promise<void> {
  const untroubled = await begin()
  untroubled.site.store.calls.length = 0
  const expected = await send(untroubled.visitor, untroubled.site)
  const calls = [...untroubled.site.store.calls]
  assert.ok(calls.length > 0, `${name} asks the store`)
  for (const [at, call] of calls.entries()) {
    const { site, visitor } = await begin()
    site.store.calls.length = 0
    site.store.failsAt = at
    const answer = await send(visitor, site)
    const said = `${name} while ${call}, call ${at} of ${calls}, fails: ${answer.status} ${answer.text}`
    if (isTolerated(name, call, at)) assert.equal(answer.status, expected.status, said)
    else {
      assert.equal(answer.status, 503, said)
      assert.match(answer.text, /LATCHKEY_SESSION_UNAVAILABLE/, said)
    }
  }
}

type Begin = () => Promise<{ readonly site: Site; readonly visitor: Visitor }>

/** Objects that are no session store. */
const NO_STORES: Readonly<Record<string, unknown>> = {
  'an empty object': {},
  'a list': [],
  'a Map': new Map(),
  'a promise of a store': Promise.resolve({}),
  'a store without destroy': { get() {}, set() {}, update() {}, touch() {} },
  'a store whose destroy is a number': {
    ...{ get() {}, set() {}, update() {}, touch() {} },
    destroy: 5,
  },
  'a store whose index is an empty object': {
    ...{ get() {}, set() {}, update() {}, touch() {}, destroy() {} },
    index: {},
  },
  'a store whose once is a function': {
    ...{ get() {}, set() {}, update() {}, touch() {}, destroy() {} },
    once() {},
  },
  'a word': 'redis://127.0.0.1',
  null: null,
}

export const failingStores: readonly Case[] = [
  ...Object.entries(REQUESTS).map(
    ([name, send]): Case => [
      `${name} of a user: if any call of the store fails, the answer is 503 and never that of a visitor`,
      async ({ open }) => {
        const site = await open({
          routes,
          options: { scope: 'openid offline_access', userinfo: 'login' },
        })
        await sendFailing(name, send, async () => {
          site.store.failsAt = undefined
          const visitor = await site.user()
          await visitor.open('/dark')
          return { site, visitor }
        })
      },
      NO_STORE,
    ],
  ),
  [
    'the data of a visitor who is not logged in: if any call of the store fails, the answer is 503',
    async ({ open }) => {
      const site = await open({ routes })
      for (const use of ['data.get()', 'data.set()', 'data.clear()']) {
        await sendFailing(use, REQUESTS[use] as Send, async () => {
          site.store.failsAt = undefined
          const visitor = site.visitor()
          await visitor.open('/dark')
          return { site, visitor }
        })
      }
    },
    NO_STORE,
  ],
  [
    'a callback: if any call of the store fails, the answer is 503 and sets no session',
    async ({ open }) => {
      const site = await open()
      const paths = new Map<Visitor, string>()
      const send: Send = (visitor) => visitor.open(paths.get(visitor) as string)
      await sendFailing('a callback', send, async () => {
        site.store.failsAt = undefined
        const visitor = site.visitor()
        paths.set(visitor, await site.authorize(await visitor.open('/login')))
        return { site, visitor }
      })
    },
    NO_STORE,
  ],
  ...Object.entries(NO_STORES).map(
    ([name, store]): Case => [
      `as session store ${name} is refused at start`,
      async ({ open }) => {
        await assert.rejects(open({ store: store as SessionStore }), (error: Error) => {
          assert.equal((error as { code?: string }).code, 'LATCHKEY_CONFIG_INVALID', String(error))
          assert.match(error.message, /"session\.store/)
          return true
        })
      },
    ],
  ),
]
