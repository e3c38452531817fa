import assert from 'node:assert/strict'
import type { Fault } from '../misbehaving-provider.ts'
import type { LoginCase } from './bench.ts'
import { shownText } from './users.ts'
import { assertRefused } from './visitor.ts'

export const logins: readonly LoginCase[] = [
  [
    'a visitor who asks for the guarded page logs in and lands on it',
    async ({ open }) => {
      const { visitor, paths } = await open()
      const ada = visitor()
      assertRefused(await ada.open(paths.guardedPath), 'a visitor')
      const { pathname, search } = (await ada.logIn(paths.guardedPath)).location ?? {}
      assert.equal(`${pathname}${search}`, paths.guardedPath, 'the login ends at the guarded page')
      assert.ok(await ada.isLoggedIn(), 'and opens it')
    },
  ],
  [
    'every login has a state, a nonce and a PKCE challenge of its own',
    async ({ open }) => {
      const { visitor, paths } = await open()
      const sent = [await visitor().open(paths.loginPath), await visitor().open(paths.loginPath)]
      for (const name of ['state', 'nonce', 'code_challenge']) {
        const values = sent.map(({ location }) => location?.searchParams.get(name))
        assert.ok(values[0] && values[1], `${name} is sent`)
        assert.notEqual(values[0], values[1], name)
      }
      assert.equal(sent[0]?.location?.searchParams.get('code_challenge_method'), 'S256')
    },
  ],
  [
    'a code is redeemed once: the same callback in another browser logs no user in',
    async ({ open, provider }) => {
      const { visitor } = await open()
      const ada = visitor()
      const callback = await ada.begin()
      await ada.open(callback)
      assert.ok(await ada.isLoggedIn())
      const thief = visitor()
      await thief.open(callback)
      assert.equal(await thief.isLoggedIn(), false)
      assert.equal(provider.count('/token'), 1, 'the code went to the provider once')
    },
  ],
  [
    'a login that another browser has begun cannot be finished here',
    async ({ open }) => {
      const { visitor } = await open()
      const victim = visitor()
      await victim.begin()
      await victim.open(await visitor().begin())
      assert.equal(await victim.isLoggedIn(), false)
    },
  ],
  ...(
    [
      ['state missing', 'an answer without state logs no user in'],
      ['state of another login', 'an answer with another state logs no user in'],
      ['iss of another provider', 'an answer that another provider claims logs no user in'],
      ['unknown code', 'a made-up code logs no user in'],
      ['access_denied', 'a login that the provider refuses logs no user in'],
    ] satisfies [Fault, string][]
  ).map(
    ([fault, name]): LoginCase => [
      name,
      async ({ open, provider }) => {
        const visitor = (await open()).visitor()
        provider.fault = fault
        const { status } = await visitor.logIn()
        assert.ok(status < 500 || fault !== 'access_denied', `the visitor is answered ${status}`)
        assert.equal(await visitor.isLoggedIn(), false)
      },
    ],
  ),
  [
    'callbacks that do not come from a provider get an error page, not a server error',
    async ({ open, provider }) => {
      const { visitor } = await open()
      const someone = visitor()
      const [path = ''] = (await someone.begin()).split('?')
      for (const query of [
        '',
        '?',
        '?code=1&state=%00',
        '?state=a&state=b',
        '?code=%ff&state=%ff',
      ]) {
        const { status } = await someone.open(path + query)
        assert.ok(status < 500, `GET ${path}${query} is answered ${status}`)
      }
      assert.equal(provider.count('/token'), 0, 'no code went to the provider')
      assert.equal(await someone.isLoggedIn(), false)
    },
  ],
  [
    'a second user of a browser sees nothing of the first',
    async ({ open, provider, users }) => {
      const { user, paths } = await open()
      const visitor = await user()
      const before = new Set([...visitor.cookies.values()].map(({ value }) => value))
      provider.user = users.second
      await visitor.logIn()
      const { status, text } = await visitor.open(paths.guardedPath)
      assert.ok(
        status < 300,
        `${paths.guardedPath} answers ${status} to the second user, ${users.second.email}; pass one whom it lets in as "secondUser"`,
      )
      assert.equal(text.includes(shownText(users.first)), false)
      const changed = [...visitor.cookies.values()].some(({ value }) => !before.has(value))
      assert.ok(changed, 'the second login has a session of its own')
    },
  ],
]
