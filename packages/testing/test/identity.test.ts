import {
  type ClientOptions,
  type Identity,
  logIn,
  startIdentity,
  type TestingErrorCode,
} from '@latchkey/testing'
import request from 'supertest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from './support/app.ts'

let identity: Identity
beforeAll(async () => {
  identity = await startIdentity()
})
afterAll(() => identity.close())

test('no port is opened: the issuer is a domain that does not exist', async () => {
  const { issuer, fetch } = identity.clientOptions()

  const response = await fetch(`${issuer}/.well-known/openid-configuration`)

  expect(issuer).toBe('https://login.test')
  expect(await response.json()).toMatchObject({ issuer })
})

test('a user who was created is known to the application by id, name and more of the profile', async () => {
  const app = createApp(identity.clientOptions())
  const ada = await identity.createUser({
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    profile: { locale: 'en-GB' },
  })
  const browser = await logIn(app, ada)

  expect((await browser.get('/account')).body).toMatchObject({
    sub: ada.id,
    email: 'ada@example.com',
    email_verified: true,
    name: 'Ada Lovelace',
    locale: 'en-GB',
  })
})

test('users created without details differ, and each has their own password', async () => {
  const app = createApp(identity.clientOptions())
  const [one, two] = [await identity.createUser(), await identity.createUser({ password: 'other' })]

  const browsers = [await logIn(app, one), await logIn(app, two)]

  const texts = await Promise.all(browsers.map(async (browser) => (await browser.get('/')).text))
  expect(new Set(texts).size).toBe(2)
})

test('a login that the application began ends at the page that was asked for', async () => {
  const app = createApp(identity.clientOptions({ baseUrl: 'http://shop.localhost:8080/' }))
  const ada = await identity.createUser()
  const browser = request.agent(app)
  const turnedAway = await browser.get('/account?tab=2').set('accept', 'text/html')

  const returned = await identity.logIn(browser, turnedAway.headers.location as string, ada)

  expect(new URL(returned.headers.location as string, 'http://shop.localhost:8080').href).toBe(
    'http://shop.localhost:8080/account?tab=2',
  )
  expect((await browser.get('/account')).status).toBe(200)
})

test('one identity serves many applications, the last of them at once', async () => {
  const options = Array.from({ length: 60 }, (_, n) =>
    identity.clientOptions({ baseUrl: `http://localhost:${4000 + n}` }),
  )
  const { issuer, clientId, baseUrl, fetch } = options.at(-1) as ClientOptions
  const url = new URL('/oidc/auth', issuer)
  const parameters = { client_id: clientId, redirect_uri: `${baseUrl}callback`, scope: 'openid' }
  url.search = String(new URLSearchParams({ ...parameters, response_type: 'code' }))

  const { headers } = await fetch(url, { redirect: 'manual' })

  // Back at the application, with an error as there is no PKCE: its redirect URL is known.
  expect(headers.get('location')).toMatch(/^http:\/\/localhost:4059\/callback\?/)
})

test('an application with routes of its own is logged in to as well', async () => {
  const routes = { login: '/auth/in', callback: '/auth/back', loggedOut: '/bye' }
  const app = createApp(identity.clientOptions({ routes }))

  const browser = await logIn(app, await identity.createUser(), { loginPath: '/auth/in' })

  expect((await browser.get('/')).text).toMatch(/^in as/)
})

test('a day later the session has ended, and a new login works', async () => {
  await using later = await startIdentity()
  const app = createApp(later.clientOptions())
  const ada = await later.createUser()
  const browser = await logIn(app, ada)
  const before = Date.now()

  later.clock.advance(24 * 60 * 60 + 1)

  expect(later.clock.now() - before).toBeGreaterThanOrEqual(86_401_000)
  expect(new Date() >= new Date(before + 86_401_000)).toBe(true)
  expect((await browser.get('/')).text).toBe('out')
  expect((await (await logIn(app, ada)).get('/')).text).toMatch(/^in as/)
})

test('closing an identity undoes its own change of the clock, and not that of another identity', async () => {
  const before = Date.now()
  const [one, two] = await Promise.all([startIdentity(), startIdentity()])
  one.clock.advance(3600)
  two.clock.advance(86_400)
  await two.close()
  expect(Date.now() - before).toBeGreaterThanOrEqual(3_600_000)
  expect(Date.now() - before).toBeLessThan(86_400_000)
  await one.close()

  expect(Date.now() - before).toBeLessThan(3_600_000)
  expect(new Date(0).getTime()).toBe(0)
  expect(new Date()).toBeInstanceOf(Date)
})

test('time moves ahead only', () => {
  expect(() => identity.clock.advance(-1)).toThrow('seconds to move ahead')
})

test('the message that a login sends is in the outbox, with its link', async () => {
  const app = createApp(identity.clientOptions())
  const grace = await identity.createUser({ email: 'grace@example.com', verified: false })

  await expect(logIn(app, grace)).rejects.toMatchObject({
    code: 'LATCHKEY_TEST_LOGIN_REFUSED' satisfies TestingErrorCode,
    message: expect.stringMatching(/grace@example.com stopped at.*follow the link/),
  })

  const [mail] = await identity.outbox()
  expect(mail).toMatchObject({ to: 'grace@example.com' })
  expect(mail?.link).toMatch(/^https:\/\/login\.test\/verify/)
})

test('a login of a disabled user, or with a wrong password, fails with the text of the page', async () => {
  const app = createApp(identity.clientOptions())
  const users = [
    await identity.createUser({ disabled: true }),
    { ...(await identity.createUser()), password: 'wrong', identity },
  ]
  for (const user of users) {
    await expect(logIn(app, user)).rejects.toMatchObject({
      code: 'LATCHKEY_TEST_LOGIN_REFUSED' satisfies TestingErrorCode,
      message: expect.stringContaining('Is the password the one'),
    })
  }
})

test('an application that turns a user away is named with its status and code', async () => {
  const app = createApp(
    identity.clientOptions({
      hooks: {
        afterCallback: () => {
          throw new TypeError('no seat is left')
        },
      },
    }),
  )
  app.set('env', 'test')

  await expect(logIn(app, await identity.createUser())).rejects.toMatchObject({
    code: 'LATCHKEY_TEST_LOGIN_REFUSED' satisfies TestingErrorCode,
    message: expect.stringContaining('the application answered 500'),
  })
})

test('an application without a login route is told what is missing', async () => {
  const app = createApp(identity.clientOptions({ routes: { login: false } }))

  await expect(logIn(app, await identity.createUser())).rejects.toMatchObject({
    code: 'LATCHKEY_TEST_NO_LOGIN' satisfies TestingErrorCode,
    message: expect.stringContaining('GET /login answered 404'),
  })
})

test('an https application is told that supertest speaks http', async () => {
  const app = createApp(identity.clientOptions({ baseUrl: 'https://app.test' }))

  await expect(logIn(app, await identity.createUser())).rejects.toMatchObject({
    code: 'LATCHKEY_TEST_SECURE_COOKIE' satisfies TestingErrorCode,
  })
})

test('a URL of another host is refused as a login of this identity', async () => {
  const browser = request.agent(createApp(identity.clientOptions()))
  const ada = await identity.createUser()

  for (const url of ['/account', 'https://elsewhere.test/auth']) {
    await expect(identity.logIn(browser, `${url}?state=kept-to-itself`, ada)).rejects.toMatchObject(
      {
        code: 'LATCHKEY_TEST_NO_LOGIN' satisfies TestingErrorCode,
        message: expect.stringContaining(`"${url}" is not at https://login.test`),
      },
    )
  }
})
