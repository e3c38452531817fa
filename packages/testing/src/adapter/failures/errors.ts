import assert from 'node:assert/strict'
import { DeniedError } from '@latchkey/core'
import type { TestAnswer, TestApplication, TestRoute } from '../application.ts'
import { assertPrivate, type Case, pathOf } from '../bench.ts'

/** An error handler of the application that records errors. */
function errorHandler(): { seen: unknown[]; onError: NonNullable<TestApplication['onError']> } {
  const seen: unknown[] = []
  const onError = (error: unknown): TestAnswer => {
    seen.push(error)
    return { status: 500, body: 'own error page' }
  }
  return { seen, onError }
}

const user: TestRoute = {
  method: 'get',
  path: '/user',
  handle: async (request) => ({ body: request.user().sub }),
}

export const errors: readonly Case[] = [
  [
    'an error that a handler throws reaches the application’s own error handler, once',
    async ({ open }) => {
      const { seen, onError } = errorHandler()
      const broken = new Error('broken')
      const site = await open({
        onError,
        routes: [{ method: 'get', path: '/broken', handle: () => Promise.reject(broken) }],
      })
      const answer = await site.visitor().open('/broken')
      assert.deepEqual([answer.status, answer.text], [500, 'own error page'])
      assert.deepEqual(seen, [broken])
    },
  ],
  [
    'an error that a handler of a guarded route throws reaches the error handler too',
    async ({ open }) => {
      const { seen, onError } = errorHandler()
      const broken = new Error('broken')
      const site = await open({
        onError,
        routes: [
          {
            method: 'get',
            path: '/broken',
            requirement: {},
            handle: () => Promise.reject(broken),
          },
        ],
      })
      assert.equal((await (await site.user()).open('/broken')).text, 'own error page')
      assert.deepEqual(seen, [broken])
    },
  ],
  [
    'getUser gives the user',
    async ({ open }) => {
      const site = await open({ routes: [user] })
      assert.equal((await (await site.user()).open('/user')).text, 'ada')
    },
  ],
  [
    'getUser where no user is logged in ends in 401, not in an error of the server',
    async ({ open }) => {
      const site = await open({ ...errorHandler(), routes: [user] })
      const answer = await site.visitor().call('/user')
      assert.equal(answer.status, 401)
      assert.equal(answer.body.code, 'LATCHKEY_LOGIN_REQUIRED')
      assertPrivate(answer)
    },
  ],
  [
    'a DeniedError that a handler throws ends in 403, and its reason is not sent',
    async ({ open }) => {
      const site = await open({
        routes: [
          {
            method: 'get',
            path: '/denied',
            requirement: {},
            handle: () => Promise.reject(new DeniedError('unpaid bill')),
          },
        ],
      })
      const answer = await (await site.user()).open('/denied')
      assert.equal(answer.status, 403)
      assert.doesNotMatch(answer.text, /unpaid/)
      assertPrivate(answer)
    },
  ],
  [
    'a login that the provider denies shows a page of the kit, which is private and has a link',
    async ({ open, provider }) => {
      const site = await open()
      provider.fault = 'access_denied'
      const answer = await site.visitor().logIn()
      assert.equal(answer.status, 403)
      assert.match(answer.text, /LATCHKEY_LOGIN_DENIED/)
      assert.match(answer.text, /href="\/login"/)
      assertPrivate(answer)
    },
  ],
  [
    'nothing of a request is repeated in a page without being escaped',
    async ({ open, provider }) => {
      const site = await open()
      provider.fault = 'error with markup'
      const answer = await site.visitor().logIn()
      assert.ok(answer.status >= 400)
      assert.doesNotMatch(answer.text, /<script>|<img/)
      assert.match(String(answer.headers['content-security-policy']), /default-src 'none'/)
    },
  ],
  [
    'onError answers the errors of the kit with a page of the application',
    async ({ open, provider }) => {
      const site = await open({
        options: {
          hooks: { onError: ({ code }) => new Response(`own page: ${code}`, { status: 418 }) },
        },
      })
      provider.fault = 'access_denied'
      const answer = await site.visitor().logIn()
      assert.deepEqual([answer.status, answer.text], [418, 'own page: LATCHKEY_LOGIN_DENIED'])
    },
  ],
  [
    'a page of the kit is in the language that the browser prefers, and keeps what middleware says about Vary',
    async ({ open }) => {
      const site = await open({ inFront: [['vary', 'x-tenant']] })
      const answer = await site
        .visitor()
        .agent.get('/logout')
        .set('accept-language', 'de-CH, en;q=0.5')
      assert.match(answer.text, /<html lang="de">.*Abmelden\?/s)
      const vary = String(answer.headers.vary).toLowerCase()
      assert.ok(vary.includes('accept-language') && vary.includes('x-tenant'), vary)
      const french = await site.visitor().agent.get('/logout').set('accept-language', 'fr')
      assert.match(french.text, /<html lang="en">.*Log out\?/s)
    },
  ],
  [
    'onError also answers what a guard refuses, and no cache may keep it',
    async ({ open }) => {
      const site = await open({
        options: { hooks: { onError: ({ code }) => new Response(code, { status: 401 }) } },
      })
      const answer = await site.visitor().call('/private')
      assert.deepEqual([answer.status, answer.text], [401, 'LATCHKEY_LOGIN_REQUIRED'])
      assertPrivate(answer)
    },
  ],
  [
    'a hook that turns a user away leaves no session',
    async ({ open }) => {
      const site = await open({
        options: {
          hooks: { afterCallback: () => Promise.reject(new DeniedError('not on the list')) },
        },
      })
      const visitor = site.visitor()
      const answer = await visitor.logIn()
      assert.equal(answer.status, 403)
      assert.match(answer.text, /LATCHKEY_USER_REFUSED/)
      assert.equal((await visitor.open('/')).text, 'out')
    },
  ],
  [
    'hooks see the request of the framework, and change the user and the destination',
    async ({ open }) => {
      const agents: unknown[] = []
      const site = await open({
        options: {
          hooks: {
            afterCallback({ request, user: claims }) {
              agents.push(request.headers.get('x-probe'))
              return { user: { ...claims, sub: 'ada', plan: 'gold' }, returnTo: '/plain' }
            },
          },
        },
      })
      const visitor = site.visitor()
      const path = await site.authorize(await visitor.open('/login'))
      const answer = await visitor.agent.get(path).set('x-probe', '1').set('accept', 'text/html')
      assert.equal(pathOf(answer), '/plain')
      assert.deepEqual(agents, ['1'])
    },
  ],
  [
    'a hook that throws is an error of the application, and there is no session',
    async ({ open }) => {
      const { seen, onError } = errorHandler()
      const broken = new Error('database is down')
      const site = await open({
        onError,
        options: { hooks: { onSession: () => Promise.reject(broken) } },
      })
      const visitor = site.visitor()
      assert.equal((await visitor.logIn()).text, 'own error page')
      assert.deepEqual(seen, [broken])
      assert.equal((await visitor.open('/')).text, 'out')
    },
  ],
]
