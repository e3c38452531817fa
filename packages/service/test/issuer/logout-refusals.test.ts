import * as client from 'openid-client'
import { expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { applicationUrl, startIssuer } from './support/issuer.ts'
import { ada, obtainCode } from './support/token-endpoint.ts'

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

test('an ID token of another user does not log out whoever is logged in', async () => {
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
