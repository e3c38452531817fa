import assert from 'node:assert/strict'
import {
  assertPrivate,
  BASE_URL,
  type Case,
  cookieOf,
  cookiesOf,
  locationOf,
  NO_NOTICES,
  pathOf,
  withCookie,
} from './bench.ts'

export const routes: readonly Case[] = [
  [
    'a login asks the provider for a code, with PKCE S256, state, nonce and the callback of baseUrl',
    async ({ open, provider }) => {
      const site = await open()
      const answer = await site.visitor().open('/login')
      const url = locationOf(answer)
      assert.equal(answer.status, 302)
      assert.equal(url.origin, provider.issuer)
      const { searchParams: sent } = url
      assert.equal(sent.get('response_type'), 'code')
      assert.equal(sent.get('code_challenge_method'), 'S256')
      assert.match(String(sent.get('code_challenge')), /^[\w-]{43}$/)
      assert.equal(sent.get('redirect_uri'), `${BASE_URL}/callback`)
      assert.ok(sent.get('state') && sent.get('nonce'))
    },
  ],
  [
    'a login ends where returnTo says, its query included',
    async ({ open }) => {
      const site = await open()
      const visitor = site.visitor()
      const answer = await visitor.logIn('/login?returnTo=/orders%3Fpage%3D2')
      assert.equal(pathOf(answer), '/orders?page=2')
      assert.equal((await visitor.open('/')).text, 'in as ada')
    },
  ],
  [
    'a login never ends on another site, regardless of returnTo',
    async ({ open }) => {
      const site = await open()
      for (const outside of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
        const answer = await site.visitor().logIn(`/login?returnTo=${encodeURIComponent(outside)}`)
        assert.equal(locationOf(answer).origin, BASE_URL, outside)
      }
    },
  ],
  [
    'a login page of the application begins a login with a form',
    async ({ open }) => {
      const site = await open({ parser: 'before' })
      const visitor = site.visitor()
      const begun = await visitor.post('/login', { returnTo: '/orders' })
      assert.equal(pathOf(await visitor.open(await site.authorize(begun))), '/orders')
    },
  ],
  [
    'with form_post the provider sends a form to the callback and the login completes',
    async ({ open, provider }) => {
      // Browsers send the cookie of such a form back only over HTTPS, so this case sends it itself.
      const baseUrl = 'https://app.example.com'
      const site = await open({ options: { baseUrl, responseMode: 'form_post' } })
      const begun = await site.visitor().open('/login?returnTo=/orders')
      const form = (await (await fetch(locationOf(begun))).json()) as {
        action: string
        fields: { code: string }
      }
      assert.equal(form.action, `${baseUrl}/callback`)
      for (const line of cookiesOf(begun)) assert.match(line, /; secure; samesite=none/i)
      const sent = await site.visitor().post('/callback', form.fields, { origin: provider.issuer })
      const { pathname, search } = new URL(String(sent.headers.location), baseUrl)
      assert.ok(!search.includes(form.fields.code))
      const pairs = cookiesOf(begun).map((line) => line.split(';')[0])
      const answer = await withCookie(site, pathname + search, pairs.join('; '))
      assert.ok(cookieOf(answer, '__Host-latchkey'))
      assert.equal(new URL(String(answer.headers.location), baseUrl).href, `${baseUrl}/orders`)
    },
  ],
  [
    'two callbacks of one login end logged in, and redeem its code once',
    async ({ open, provider }) => {
      const site = await open()
      const visitor = site.visitor()
      const path = await site.authorize(await visitor.open('/login?returnTo=/plain'))
      const before = provider.count('/token')
      const answers = [await visitor.open(path), await visitor.open(path)]
      assert.deepEqual(answers.map(pathOf), ['/plain', '/plain'])
      assert.equal(provider.count('/token'), before + 1)
    },
  ],
  [
    'a login begun in one browser cannot be finished in another',
    async ({ open }) => {
      const site = await open()
      const path = await site.authorize(await site.visitor().open('/login'))
      const other = site.visitor()
      const answer = await other.open(path)
      assert.equal(cookieOf(answer), undefined)
      assert.equal((await other.open('/')).text, 'out')
    },
  ],
  [
    'the session route returns the user, and never a token',
    async ({ open }) => {
      const site = await open()
      const { body, text } = await (await site.user()).call('/session')
      assert.equal(body.user.sub, 'ada')
      assert.ok(body.expiresAt > Date.now() / 1000)
      assert.doesNotMatch(text, /access-|refresh-|eyJ[\w-]*\./)
    },
  ],
  [
    'the session route gives a visitor the address of the login',
    async ({ open }) => {
      const site = await open()
      const { body } = await site.visitor().call('/session')
      assert.deepEqual(body, { user: null, loginUrl: '/login' })
    },
  ],
  [
    'routes can be renamed and turned off',
    async ({ open }) => {
      const site = await open({
        options: {
          routes: { login: '/auth/in', callback: '/auth/back', logout: false, session: false },
        },
      })
      const visitor = site.visitor()
      await visitor.logIn('/auth/in')
      assert.equal((await visitor.open('/')).text, 'in as ada')
      assert.equal((await visitor.open('/login')).status, 404)
      assert.equal((await visitor.open('/logout')).status, 404)
      assert.equal((await visitor.call('/session')).status, 404)
    },
  ],
  [
    'with a path in baseUrl the routes are under it, and a proxy may leave it out',
    async ({ open }) => {
      const site = await open({ options: { baseUrl: `${BASE_URL}/shop` } })
      for (const path of ['/shop/login', '/login']) {
        const url = locationOf(await site.visitor().open(path))
        assert.equal(url.searchParams.get('redirect_uri'), `${BASE_URL}/shop/callback`)
      }
    },
  ],
  [
    'a method that a route does not know is answered 405 with those that it knows',
    async ({ open }) => {
      const site = await open()
      const { agent } = site.visitor()
      for (const [method, path] of [
        ['put', '/login'],
        ['delete', '/session'],
        ['get', '/backchannel-logout'],
      ] as const) {
        const answer = await agent[method](path)
        assert.equal(answer.status, 405, path)
        assert.ok(answer.headers.allow, path)
        assertPrivate(answer)
      }
    },
    NO_NOTICES,
  ],
  [
    'the framework answers requests for unknown paths',
    async ({ open }) => {
      const site = await open()
      const answer = await site.visitor().open('/nowhere')
      assert.equal(answer.status, 404)
      assert.deepEqual(cookiesOf(answer), [])
    },
  ],
  [
    'the cookie of a login is not accepted as a session, nor a session cookie as a login',
    async ({ open }) => {
      const site = await open()
      const begun = await site.visitor().open('/login')
      const [pair = ''] = cookiesOf(begun).map((line) => String(line.split(';')[0]))
      const value = pair.slice(pair.indexOf('=') + 1)
      assert.equal((await withCookie(site, '/', `latchkey=${value}`)).text, 'out')
      const session = cookieOf(await site.visitor().logIn())
      const name = pair.slice(0, pair.indexOf('='))
      const path = await site.authorize(begun)
      const answer = await withCookie(site, path, `${name}=${session}`)
      assert.equal(cookieOf(answer), undefined)
    },
  ],
]
