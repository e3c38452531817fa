import { createHmac } from 'node:crypto'
import * as client from 'openid-client'
import { afterEach, expect, test, vi } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { applicationUrl, movesTheClock, startIssuer, type TestIssuer } from './support/issuer.ts'
import { startReceiver } from './support/logout-receiver.ts'
import { ada, moveTime, obtainCode } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

test('after logout the tokens of the session stop working', async () => {
  await using issuer = await startIssuer()
  const user = await issuer.addUser(ada)
  const { app, begun, callback, browser } = await obtainCode(issuer)
  const tokens = await app.redeem(begun, callback)
  const logout = client.buildEndSessionUrl(app.config, { id_token_hint: tokens.id_token ?? '' })
  expect((await browser.get(logout.href)).html).toContain('You are logged out')
  await expect(
    client.fetchUserInfo(app.config, tokens.access_token, user.id),
  ).rejects.toMatchObject({ status: 401 })
})

test('a logout without an ID token asks first, and can be declined', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { app, browser } = await obtainCode(issuer)
  const logout = client.buildEndSessionUrl(app.config, {
    post_logout_redirect_uri: `${applicationUrl}/logged-out`,
  })
  const question = await browser.get(logout.href)
  expect(question.html).toContain('Log out?')
  expect(question.html).toContain(ada.email)
  await browser.submitOnly(question)
  expect((await browser.get((await app.begin()).url)).location).toContain('code=')

  const bare = await browser.get(`${issuer.url}/oidc/logout`)
  const stayed = await browser.submit(bare)
  expect(stayed.html).toContain('You are logged in already')

  const again = await browser.get(logout.href)
  const left = await browser.submit(again, { logout: 'yes' })
  expect(left.location).toBe(`${applicationUrl}/logged-out`)
  expect((await browser.get((await app.begin()).url)).html).toContain('name="password"')
})

test('a forged confirmation of a logout is refused', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { app, browser } = await obtainCode(issuer)
  const question = await browser.get(
    client.buildEndSessionUrl(app.config, { client_id: issuer.application.id }).href,
  )
  const refused = await browser.submit(question, { logout: 'yes', xsrf: 'forged' })
  expect(refused.status).toBe(400)
  expect((await browser.get((await app.begin()).url)).location).toContain('code=')
})

test('a logout address that is not registered is refused, never followed', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { app, begun, callback, browser } = await obtainCode(issuer)
  const { id_token: hint = '' } = await app.redeem(begun, callback)
  for (const uri of [`${applicationUrl}/logged-out/`, 'https://evil.example/']) {
    const logout = client.buildEndSessionUrl(app.config, {
      post_logout_redirect_uri: uri,
      id_token_hint: hint,
    })
    const answer = await browser.get(logout.href)
    expect(answer.status).toBe(400)
    expect(answer.location).toBeUndefined()
  }
})

test.each([
  ['https://shop.example', 'https://shop.example/'],
  ['https://shop.example/', 'https://shop.example'],
  ['http://localhost:3000', 'http://localhost:3000/'],
])(
  'a logout at an application that registered %s may come back to %s, which is the same address',
  async (registered, asked) => {
    await using issuer = await startIssuer()
    await issuer.addUser(ada)
    const application = await issuer.addApplication({ logoutUrls: [registered] })
    const app = await createClient(issuer, application)
    const { begun, callback, browser } = await logIn(issuer, app, ada)
    const { id_token: hint = '' } = await app.redeem(begun, callback)
    const leave = (to: string) =>
      browser.get(
        client.buildEndSessionUrl(app.config, { post_logout_redirect_uri: to, id_token_hint: hint })
          .href,
      )

    for (const other of [`${asked.replace(/\/$/, '')}/x`, `${asked.replace(/\/$/, '')}/?a=b`]) {
      expect((await leave(other)).status).toBe(400)
    }
    expect(new URL((await leave(asked)).location ?? '').href).toBe(new URL(registered).href)
  },
)

test('a logout of a browser that is not logged in goes straight back to the application', async () => {
  await using issuer = await startIssuer()
  const app = await createClient(issuer)
  const logout = client.buildEndSessionUrl(app.config, {
    post_logout_redirect_uri: `${applicationUrl}/logged-out`,
    state: 'bye',
  })
  const answer = await createBrowser(issuer).get(logout.href)
  expect(answer.location).toBe(`${applicationUrl}/logged-out?state=bye`)
})

/** An ID token of a login that began so many seconds from now, and the browser of a login now. */
async function hintFromAhead(issuer: TestIssuer, seconds: number) {
  await issuer.addUser(ada)
  moveTime(seconds)
  const { app, begun, callback } = await obtainCode(issuer)
  const { id_token: hint = '' } = await app.redeem(begun, callback)
  vi.useRealTimers()
  const { browser } = await logIn(issuer, app, ada)
  return { app, browser, logout: client.buildEndSessionUrl(app.config, { id_token_hint: hint }) }
}

test('an ID token that is dated in the future counts as none: the user is asked', async () => {
  await using issuer = await startIssuer()
  const { browser, logout } = await hintFromAhead(issuer, 300)
  const question = await browser.get(logout.href)
  expect(question.status).toBe(200)
  expect(question.html).toContain('Log out?')
})

test('clocks that differ by a few seconds do not cause a question to the user', async () => {
  await using issuer = await startIssuer()
  const { browser, logout } = await hintFromAhead(issuer, 8)
  expect((await browser.get(logout.href)).html).toContain('You are logged out')
})

test.each([-3_600, 0, 3_600])(
  'applications log in with their secret alone: an assertion dated %d seconds from now is refused, as is a request object',
  async (seconds) => {
    await using issuer = await startIssuer()
    await issuer.addUser(ada)
    const { app, form } = await obtainCode(issuer)
    const { id, redirectUrls } = issuer.application
    const iat = Math.floor(Date.now() / 1_000) + seconds
    const claims = { iss: id, sub: id, aud: issuer.url, jti: 'x', iat, exp: iat + 7_200 }
    const jwt = (header: object, payload: object) => {
      const text = [header, payload]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
      const key = issuer.secretOf(issuer.application)
      return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
    }
    const assertion = jwt({ alg: 'HS256', typ: 'JWT' }, claims)
    const answer = await issuer.fetch(`${issuer.url}/oidc/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        ...form,
        client_id: id,
        client_assertion: assertion,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      }).toString(),
    })
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ error: 'invalid_client' })

    const request = jwt({ alg: 'HS256' }, { ...claims, redirect_uri: redirectUrls[0] })
    const begun = await createBrowser(issuer).peek((await app.begin({ request })).url)
    expect(begun.location).toContain('error=request_not_supported')
  },
)

test('an ID token of another user does not log out the current user', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const bob = { email: 'bob@example.com', password: 'a different one' }
  await issuer.addUser(bob)
  const app = await createClient(issuer)
  const other = await logIn(issuer, app, bob)
  const { id_token: hint = '' } = await app.redeem(other.begun, other.callback)
  const { browser } = await logIn(issuer, app, ada)
  const question = await browser.get(
    client.buildEndSessionUrl(app.config, { id_token_hint: hint }).href,
  )
  expect(question.html).toContain('Log out?')
})

/** A login at a shop that receives logout tokens at the given URL. */
async function loginAtShop(issuer: TestIssuer, url: string) {
  const user = await issuer.addUser(ada)
  const metadata = { backchannel_logout_uri: url }
  const shop = await issuer.addApplication({ name: 'Web shop', metadata })
  const app = await createClient(issuer, shop)
  const login = await logIn(issuer, app, ada, undefined, { scope: 'openid email' })
  return { ...login, user, shop, app }
}

/** Two users who are logged in at two applications, with the `sid` that each application received. */
async function sessionsOfTwo(issuer: TestIssuer) {
  const bob = { email: 'bob@example.com', password: 'a different one' }
  for (const user of [ada, bob]) await issuer.addUser(user)
  const other = await issuer.addApplication({ name: 'Other' })
  const [shop, blog] = [await createClient(issuer), await createClient(issuer, other)]
  const sidOf = async (app: typeof shop, { begun, callback }: Awaited<ReturnType<typeof logIn>>) =>
    String((await app.redeem(begun, callback)).claims()?.sid)
  const ofAda = await logIn(issuer, shop, ada)
  const begun = await blog.begin()
  const atBlog = { begun, callback: await ofAda.browser.get(begun.url), browser: ofAda.browser }
  return {
    browser: ofAda.browser,
    applications: { shop: issuer.application.id, blog: other.id },
    sids: {
      shop: await sidOf(shop, ofAda),
      blog: await sidOf(blog, atBlog),
      bob: await sidOf(shop, await logIn(issuer, shop, bob)),
    },
    logoutWith: (parameters: Record<string, string>) =>
      `${issuer.url}/oidc/logout?${new URLSearchParams(parameters)}`,
  }
}

test('with the application and the sid of its session as logout_hint, the user is logged out at once', async () => {
  await using issuer = await startIssuer()
  const { browser, applications, sids, logoutWith } = await sessionsOfTwo(issuer)
  const link = logoutWith({
    client_id: applications.shop,
    logout_hint: sids.shop,
    post_logout_redirect_uri: `${applicationUrl}/logged-out`,
    state: 'on',
  })
  expect((await browser.peek(link)).location).toBe(`${applicationUrl}/logged-out?state=on`)
  expect((await browser.get(`${issuer.url}/account`)).html).toContain('name="password"')
})

test('a link of a stranger asks: without the sid, with another one, or with that of another application', async () => {
  await using issuer = await startIssuer()
  const { browser, applications, sids, logoutWith } = await sessionsOfTwo(issuer)
  expect(new Set(Object.values(sids)).size).toBe(3)
  for (const sid of Object.values(sids)) expect(sid).toMatch(/^[\w-]{21,}$/)
  const { shop, blog } = applications
  for (const parameters of [
    { client_id: shop },
    { client_id: shop, logout_hint: '' },
    { client_id: shop, logout_hint: 'undefined' },
    { client_id: shop, logout_hint: ada.email },
    { client_id: shop, logout_hint: sids.bob },
    { client_id: shop, logout_hint: sids.blog },
    { client_id: blog, logout_hint: sids.shop },
    { logout_hint: sids.shop },
  ]) {
    const question = await browser.get(logoutWith(parameters as Record<string, string>))
    expect(question.html, JSON.stringify(parameters)).toContain('Log out?')
  }
})

test('a user who stays after a link of a stranger stays logged in at the application that it names', async () => {
  await using issuer = await startIssuer()
  await using receiver = await startReceiver()
  const { begun, callback, browser, app, shop, user } = await loginAtShop(issuer, receiver.url)
  const tokens = await app.redeem(begun, callback)
  const readUser = () => client.fetchUserInfo(app.config, tokens.access_token, user.id)

  const question = await browser.get(`${issuer.url}/oidc/logout?client_id=${shop.id}`)
  const stayed = await browser.submit(question)

  expect(stayed.html).toContain('You are logged in already')
  expect(stayed.html).toContain('Continue to Web shop')
  await issuer.idle()
  expect(receiver.tokens).toEqual([])
  expect(await readUser()).toMatchObject({ email: ada.email })
  expect(await issuer.actions()).not.toContain('logout.succeeded')
})

test('a user who confirms the logout of such a link is logged out everywhere, and goes back to the application', async () => {
  await using issuer = await startIssuer()
  await using receiver = await startReceiver()
  const { begun, callback, browser, app, shop, user } = await loginAtShop(issuer, receiver.url)
  const tokens = await app.redeem(begun, callback)
  const other = await createClient(issuer)
  const atOther = await other.begin()
  const otherTokens = await other.redeem(atOther, await browser.get(atOther.url))
  const back = { client_id: shop.id, post_logout_redirect_uri: `${applicationUrl}/logged-out` }

  const question = await browser.get(
    `${issuer.url}/oidc/logout?${new URLSearchParams({ ...back, state: 'on' })}`,
  )
  const left = await browser.submit(question, { logout: 'yes' })

  expect(left.location).toBe(`${applicationUrl}/logged-out?state=on`)
  await issuer.idle()
  expect(receiver.tokens).toHaveLength(1)
  for (const [at, { access_token: token }] of [
    [app, tokens],
    [other, otherTokens],
  ] as const) {
    await expect(client.fetchUserInfo(at.config, token, user.id)).rejects.toMatchObject({
      status: 401,
    })
  }
  const logouts = (await issuer.audit()).filter(({ action }) => action === 'logout.succeeded')
  expect(logouts).toMatchObject([{ applicationId: shop.id }])
})

test('an application that the user never used cannot log them out', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { id } = await issuer.addApplication({ name: 'Unused' })
  const { browser } = await obtainCode(issuer)
  for (const hint of ['', 'undefined', 'null']) {
    const link = `${issuer.url}/oidc/logout?client_id=${id}&logout_hint=${hint}`
    expect((await browser.get(link)).html).toContain('Log out?')
  }
})
