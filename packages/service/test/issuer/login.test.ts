import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { applicationUrl, startIssuer, storeKinds } from './support/issuer.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

describe.each(storeKinds)('on %s', (store) => {
  test('a client library discovers the issuer, and a user logs in, is described and logs out', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    const app = await createClient(issuer)

    const { begun, callback, browser } = await logIn(issuer, app, ada)
    const tokens = await app.redeem(begun, callback)

    expect(new URL(callback.location ?? '').searchParams.get('iss')).toBe(issuer.url)
    expect(tokens.claims()).toMatchObject({
      sub: user.id,
      email: 'ada@example.com',
      email_verified: true,
      name: 'Ada Lovelace',
      given_name: 'Ada',
      family_name: 'Lovelace',
    })
    expect(Number.isInteger(tokens.claims()?.auth_time ?? 0)).toBe(true)
    const userinfo = await client.fetchUserInfo(app.config, tokens.access_token, user.id)
    expect(userinfo).toMatchObject({ sub: user.id, email: 'ada@example.com', name: 'Ada Lovelace' })

    const logout = client.buildEndSessionUrl(app.config, {
      post_logout_redirect_uri: `${applicationUrl}/logged-out`,
      id_token_hint: tokens.id_token ?? '',
      state: 'bye',
    })
    const after = await browser.peek(logout.href)
    expect(after.location).toBe(`${applicationUrl}/logged-out?state=bye`)
    const next = await app.begin()
    expect((await browser.get(next.url)).html).toContain('name="password"')
    expect(issuer.problems).toEqual([])
  })

  test('a wrong password and an unknown address get the same page', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const wrong = await logIn(issuer, app, { ...ada, password: 'nope' })
    const unknown = await logIn(issuer, app, { email: 'eve@example.com', password: 'nope' })

    const neutral = (html: string) =>
      html
        .replace(/name="csrf" value="[^"]*"/, '')
        .replaceAll(/(ada|eve)@example.com|\/login\/[^/?]+/g, '')
    expect(wrong.callback.status).toBe(422)
    expect(unknown.callback.status).toBe(422)
    expect(neutral(unknown.callback.html)).toBe(neutral(wrong.callback.html))
  })

  test('a second application gets its answer without asking the user again', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const { browser } = await logIn(issuer, await createClient(issuer), ada)

    const other = await createClient(issuer, await issuer.addApplication({ name: 'Blog' }))
    const begun = await other.begin()
    const callback = await browser.get(begun.url)
    expect((await other.redeem(begun, callback)).claims()?.email).toBe('ada@example.com')
  })
})

test('every URL that discovery names is on the issuer, regardless of the headers that a client sends', async () => {
  await using issuer = await startIssuer()
  const answer = await issuer.fetch(`${issuer.url}/.well-known/openid-configuration`, {
    headers: {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    },
  })
  const discovered = (await answer.json()) as Record<string, unknown>
  const urls = Object.entries(discovered).filter(([name]) => /(_endpoint|_uri|^issuer)$/.test(name))
  expect(urls.length).toBeGreaterThan(6)
  for (const [, url] of urls) expect(new URL(String(url)).origin).toBe(issuer.url)
  expect(discovered.code_challenge_methods_supported).toEqual(['S256'])
})

test('a request for a host without a tenant is passed on to the next handler', async () => {
  await using issuer = await startIssuer({ store: 'memory' })
  const answer = await issuer.fetch(`http://other.localhost:${issuer.port}/login/x`)
  expect(answer.status).toBe(421)
})

test('two tabs that log in one after the other both reach the application', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const app = await createClient(issuer)
  const browser = createBrowser(issuer)
  const first = await app.begin()
  const second = await app.begin()
  const firstForm = await browser.get(first.url)
  const secondForm = await browser.get(second.url)

  const firstCallback = await browser.submit(firstForm, ada)
  const secondCallback = await browser.submit(secondForm, ada)
  expect((await app.redeem(first, firstCallback)).access_token).toBeTruthy()
  expect((await app.redeem(second, secondCallback)).access_token).toBeTruthy()
})
