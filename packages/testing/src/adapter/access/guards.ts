import assert from 'node:assert/strict'
import type { Requirement } from '@latchkey/core'
import type { TestRoute } from '../application.ts'
import {
  assertPrivate,
  type Case,
  cookiesOf,
  locationOf,
  PAGE,
  pathOf,
  type Visitor,
} from '../bench.ts'

const guarded = (path: string, requirement: Requirement): TestRoute => ({
  method: 'get',
  path,
  requirement,
  handle: async () => ({ body: 'let in' }),
})

const SHOWS_USER: TestRoute = {
  method: 'get',
  path: '/user',
  requirement: {},
  handle: async ({ auth }) => ({ body: JSON.stringify(auth.user) }),
}

/**
 * Follows redirects to the login, at most five times. Resolves to the response, with the number of
 * logins.
 */
async function arrive(
  site: Awaited<ReturnType<Parameters<Case[1]>[0]['open']>>,
  visitor: Visitor,
  path: string,
): Promise<{ status: number; text: string; logins: number }> {
  let answer = await visitor.open(path)
  let logins = 0
  for (; answer.status === 302 && logins < 5; logins++) {
    const back = await visitor.open(await site.authorize(answer))
    answer = back.headers.location ? await visitor.open(pathOf(back)) : back
  }
  return { status: answer.status, text: answer.text, logins }
}

export const guards: readonly Case[] = [
  [
    'a visitor who asks for a guarded page is sent to log in and lands on that page, query included',
    async ({ open }) => {
      const site = await open()
      const visitor = site.visitor()
      const begun = await visitor.open('/private?tab=2')
      assert.equal(begun.status, 302)
      assert.deepEqual(site.handled, [])
      assertPrivate(begun)
      assert.equal(pathOf(await visitor.open(await site.authorize(begun))), '/private?tab=2')
      assert.equal((await visitor.open('/private?tab=2')).text, 'private to ada')
    },
  ],
  [
    'a script is answered 401 with problem details and the address of the login',
    async ({ open }) => {
      const site = await open()
      const answer = await site.visitor().call('/private')
      assert.equal(answer.status, 401)
      assert.match(String(answer.headers['content-type']), /^application\/problem\+json/)
      assert.equal(answer.headers['www-authenticate'], 'Session error="login_required"')
      assert.equal(answer.body.code, 'LATCHKEY_LOGIN_REQUIRED')
      assert.equal(answer.body.loginUrl, '/login')
      assert.deepEqual(site.handled, [])
      assertPrivate(answer)
    },
  ],
  [
    'a guard with the option respond ignores the type of the request',
    async ({ open }) => {
      const site = await open({
        routes: [guarded('/json', { respond: 'json' }), guarded('/page', { respond: 'redirect' })],
      })
      assert.equal((await site.visitor().open('/json')).status, 401)
      assert.equal((await site.visitor().call('/page')).status, 302)
      assert.deepEqual(site.handled, [])
    },
  ],
  [
    'after a form without a session, the login returns to the page of the form',
    async ({ open }) => {
      const site = await open()
      const visitor = site.visitor()
      const referer = 'http://localhost:3000/plain?step=2'
      const begun = await visitor.post('/private', { step: 2 }, { referer })
      assert.equal(begun.status, 303)
      assert.equal(pathOf(await visitor.open(await site.authorize(begun))), '/plain?step=2')
      assert.deepEqual(site.handled, [])
    },
  ],
  [
    'a form that a person sent is led to the login by a page: its own page may forbid redirects elsewhere',
    async ({ open, provider }) => {
      const site = await open()
      const { agent } = site.visitor()
      const answer = await agent.post('/private').set(PAGE).type('form').send({ step: 2 })
      assert.equal(answer.status, 200)
      assert.ok(answer.headers.refresh?.startsWith(`0;url=${provider.issuer}`), answer.text)
      assert.equal(answer.headers.location, undefined)
    },
  ],
  [
    'a form of a logged-in user passes the guard',
    async ({ open }) => {
      const site = await open({ parser: 'after' })
      const answer = await (await site.user()).post('/private', { a: 1 })
      assert.equal(answer.text, 'sent')
    },
  ],
  [
    'one of several roles is enough, unless all are asked for',
    async ({ open, provider }) => {
      provider.user = { sub: 'ada', roles: ['admin'] }
      const site = await open({
        routes: [
          guarded('/any', { roles: ['admin', 'owner'] }),
          guarded('/all', { roles: { all: ['admin', 'owner'] } }),
        ],
      })
      const ada = await site.user()
      assert.equal((await ada.open('/any')).text, 'let in')
      assert.equal((await ada.open('/all')).status, 403)
    },
  ],
  [
    'roles that are no list give no access',
    async ({ open, provider }) => {
      provider.user = { sub: 'ada', roles: 'admin' }
      const site = await open({ routes: [guarded('/any', { roles: ['admin'] })] })
      assert.equal((await (await site.user()).open('/any')).status, 403)
    },
  ],
  [
    'a user who may not is answered 403, and never sent to log in',
    async ({ open }) => {
      const site = await open({ routes: [guarded('/admin', { roles: ['admin'] })] })
      const answer = await (await site.user()).open('/admin')
      assert.equal(answer.status, 403)
      assert.match(answer.text, /LATCHKEY_FORBIDDEN/)
      assert.deepEqual(site.handled, [])
      assertPrivate(answer)
    },
  ],
  [
    'a script of a user without the role is answered 403 with problem details',
    async ({ open }) => {
      const site = await open({ routes: [guarded('/admin', { roles: ['admin'] })] })
      const answer = await (await site.user()).call('/admin')
      assert.equal(answer.status, 403)
      assert.equal(answer.body.code, 'LATCHKEY_FORBIDDEN')
      assert.deepEqual(cookiesOf(answer), [])
    },
  ],
  [
    'a claim must equal the value asked for, and be of the same type',
    async ({ open, provider }) => {
      const site = await open({ routes: [guarded('/tester', { claims: { beta: true } })] })
      const statuses: number[] = []
      for (const beta of [true, 'true', false, undefined]) {
        provider.user = { sub: 'ada', beta }
        statuses.push((await (await site.user()).open('/tester')).status)
      }
      assert.deepEqual(statuses, [200, 403, 403, 403])
    },
  ],
  [
    'the texts "true" and "false" in email_verified count as booleans, and other values are left out',
    async ({ open, provider }) => {
      const site = await open({
        routes: [guarded('/verified', { claims: { email_verified: true } }), SHOWS_USER],
      })
      const seen: unknown[] = []
      for (const email_verified of [true, 'true', false, 'false', 'TRUE', 1]) {
        provider.user = { sub: 'ada', email_verified }
        const user = await site.user()
        const { status } = await user.open('/verified')
        seen.push([status, JSON.parse((await user.open('/user')).text).email_verified])
      }
      const [yes, no, none] = [
        [200, true],
        [403, false],
        [403, undefined],
      ]
      assert.deepEqual(seen, [yes, yes, no, no, none, none])
    },
  ],
  [
    'a verification of the ID token is none of another address that userinfo has',
    async ({ open, provider }) => {
      const site = await open({ routes: [SHOWS_USER], options: { userinfo: 'login' } })
      provider.user = { sub: 'ada', email: 'old@example.com', email_verified: true }
      const seen: unknown[] = []
      for (const email of ['old@example.com', 'new@example.com']) {
        provider.rewrite = (answer, json) =>
          answer === 'userinfo' ? JSON.stringify({ sub: 'ada', email }) : json
        const { text } = await (await site.user()).open('/user')
        seen.push(JSON.parse(text))
      }
      assert.deepEqual(seen, [
        { sub: 'ada', email: 'old@example.com', email_verified: true },
        { sub: 'ada', email: 'new@example.com' },
      ])
    },
  ],
  [
    'a function in a requirement’s claims gets the framework’s own request',
    async ({ open, provider }) => {
      provider.user = { sub: 'ada', org: 'acme' }
      const subjects: unknown[] = []
      const org = (value: unknown, subject: unknown): boolean => {
        subjects.push(subject)
        return value === 'acme'
      }
      const site = await open({ routes: [guarded('/org', { claims: { org } })] })
      assert.equal((await (await site.user()).open('/org')).text, 'let in')
      assert.ok(typeof subjects[0] === 'object' && subjects[0] !== null)
    },
  ],
  [
    'a check may be asynchronous, and only true lets a user in',
    async ({ open }) => {
      const site = await open({
        routes: [
          guarded('/yes', { check: async ({ sub }) => sub === 'ada' }),
          guarded('/no', { check: async () => false }),
          guarded('/truthy', { check: (() => 'yes') as unknown as () => boolean }),
        ],
      })
      const ada = await site.user()
      assert.equal((await ada.open('/yes')).text, 'let in')
      assert.equal((await ada.open('/no')).status, 403)
      assert.equal((await ada.open('/truthy')).status, 403)
      assert.deepEqual(site.handled, ['/yes'])
    },
  ],
  [
    'a check that fails is an error of the application and lets no request in',
    async ({ open }) => {
      const seen: unknown[] = []
      const broken = new Error('database is down')
      const site = await open({
        routes: [guarded('/broken', { check: () => Promise.reject(broken) })],
        onError(error) {
          seen.push(error)
          return { status: 500, body: 'own error page' }
        },
      })
      const answer = await (await site.user()).open('/broken')
      assert.equal(answer.text, 'own error page')
      assert.deepEqual(seen, [broken])
      assert.deepEqual(site.handled, [])
    },
  ],
  [
    'a page that asks for a stronger login gets one and lets the user in',
    async ({ open, provider }) => {
      const site = await open({ routes: [guarded('/mfa', { acr: 'urn:mfa' })] })
      const ada = await site.user()
      provider.user = { ...provider.user, acr: 'urn:mfa' }
      const begun = await ada.open('/mfa')
      assert.equal(locationOf(begun).searchParams.get('acr_values'), 'urn:mfa')
      assert.equal(pathOf(await ada.open(await site.authorize(begun))), '/mfa')
      assert.equal((await ada.open('/mfa')).text, 'let in')
    },
  ],
  [
    'a stronger login that does not take place ends in 403 after one round trip',
    async ({ open }) => {
      const site = await open({ routes: [guarded('/mfa', { acr: 'urn:mfa' })] })
      const ada = await site.user()
      const { status, text, logins } = await arrive(site, ada, '/mfa')
      assert.equal(status, 403)
      assert.equal(logins, 1)
      assert.match(text, /LATCHKEY_STEP_UP_FAILED/)
      assert.equal((await ada.open('/private')).text, 'private to ada')
    },
  ],
  [
    'a person who acts for the user is named in the session, and refused where only the user may go',
    async ({ open, provider }) => {
      const site = await open({
        routes: [guarded('/own', { actor: false }), guarded('/mfa', { acr: 'urn:mfa' })],
      })
      const { user } = provider
      provider.user = { ...user, act: { sub: 'operator:usr_1' } }
      const eve = await site.user()
      provider.user = user
      assert.equal((await eve.open('/private')).text, 'private to ada')
      for (const path of ['/own', '/mfa']) {
        const answer = await eve.call(path)
        assert.equal(answer.status, 403)
        assert.equal(answer.body.code, 'LATCHKEY_FORBIDDEN')
      }
      assert.equal((await (await site.user()).open('/own')).text, 'let in')
    },
  ],
  [
    'a page that asks for a recent login sends a user with an old one to log in once',
    async ({ open, provider }) => {
      const site = await open({ routes: [guarded('/recent', { maxAge: 300 })] })
      provider.fault = 'id_token with an old auth_time'
      const ada = await site.user()
      provider.fault = undefined
      const begun = await ada.open('/recent')
      assert.equal(locationOf(begun).searchParams.get('max_age'), '300')
      const arrived = await arrive(site, ada, '/recent')
      assert.deepEqual([arrived.text, arrived.logins], ['let in', 1])
    },
  ],
  [
    'a script that needs a stronger login gets the address of that login',
    async ({ open }) => {
      const site = await open({ routes: [guarded('/mfa', { acr: 'urn:mfa' })] })
      const answer = await (await site.user()).call('/mfa')
      assert.equal(answer.status, 401)
      assert.equal(answer.body.code, 'LATCHKEY_STEP_UP_REQUIRED')
      assert.equal(answer.body.loginUrl, '/login?acr_values=urn%3Amfa')
    },
  ],
]
