import assert from 'node:assert/strict'
import { assertPrivate, type Case, cookieOf, NO_STORE, withCookie } from '../bench.ts'

export const outages: readonly Case[] = [
  [
    'while the store is down a guarded page is 503 with Retry-After, and no visitor is sent to log in',
    async ({ open }) => {
      const site = await open()
      const ada = await site.user()
      site.store.isDown = true
      const [page, script] = [await ada.open('/private'), await ada.call('/private')]
      for (const answer of [page, script]) {
        assert.equal(answer.status, 503)
        assert.ok(answer.headers['retry-after'])
        assertPrivate(answer)
      }
      assert.match(page.text, /You have not been logged out/)
      assert.equal(script.body.code, 'LATCHKEY_SESSION_UNAVAILABLE')
      assert.deepEqual(site.handled, [])
      site.store.isDown = false
      assert.equal((await ada.open('/private')).text, 'private to ada')
    },
    NO_STORE,
  ],
  [
    'while the store is down pages that need no session are served',
    async ({ open }) => {
      const site = await open()
      const ada = await site.user()
      site.store.isDown = true
      assert.equal((await ada.open('/plain')).text, 'plain')
      assert.equal((await site.visitor().open('/')).text, 'out')
    },
    NO_STORE,
  ],
  [
    'while the store is down getUser ends in 503, not in 401',
    async ({ open }) => {
      const site = await open({
        routes: [
          {
            method: 'get',
            path: '/user',
            handle: async ({ user }) => ({ body: user().sub }),
          },
        ],
      })
      const ada = await site.user()
      site.store.isDown = true
      const answer = await ada.open('/user')
      assert.equal(answer.status, 503)
      assertPrivate(answer)
    },
    NO_STORE,
  ],
  [
    'a login that the store cannot save sets no session cookie and reports the error',
    async ({ open }) => {
      const site = await open()
      const visitor = site.visitor()
      const path = await site.authorize(await visitor.open('/login'))
      site.store.isDown = true
      const answer = await visitor.open(path)
      assert.equal(answer.status, 503)
      assert.equal(cookieOf(answer), undefined)
      assertPrivate(answer)
    },
    NO_STORE,
  ],
  [
    'a logout that the store did not take says so, and can be sent again',
    async ({ open }) => {
      const site = await open()
      const ada = site.visitor()
      const session = cookieOf(await ada.logIn())
      site.store.isDown = true
      const refused = await ada.post('/logout')
      assert.equal(refused.status, 503)
      assert.match(refused.text, /You have not been logged out/)
      site.store.isDown = false
      await ada.post('/logout')
      assert.equal((await withCookie(site, '/', `latchkey=${session}`)).text, 'out')
    },
    NO_STORE,
  ],
  [
    'while the provider is down a login is 503, and users who are logged in notice nothing',
    async ({ open, provider }) => {
      const first = await open()
      const ada = await first.user()
      provider.fault = 'discovery: down'
      const fresh = await open()
      const answer = await fresh.visitor().open('/private')
      assert.equal(answer.status, 503)
      assert.match(answer.text, /LATCHKEY_PROVIDER_UNAVAILABLE/)
      assertPrivate(answer)
      assert.equal((await ada.open('/private')).text, 'private to ada')
    },
  ],
  [
    'a provider that is down while it should redeem the code leaves no session',
    async ({ open, provider }) => {
      const site = await open()
      const visitor = site.visitor()
      const path = await site.authorize(await visitor.open('/login'))
      provider.fault = 'token: down'
      const answer = await visitor.open(path)
      assert.equal(answer.status, 503)
      assert.equal(cookieOf(answer), undefined)
      assertPrivate(answer)
    },
  ],
]
