import { createHash } from 'node:crypto'
import { hash as bcrypt } from '@node-rs/bcrypt'
import * as client from 'openid-client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { deleteCredential, updatePassword } from '../../src/domain/users/credentials.ts'
import { findPassword } from '../../src/domain/users/passwords.ts'
import { deleteUser } from '../../src/domain/users/users.ts'
import { createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { applicationUrl, movesTheClock, startIssuer, storeKinds } from './support/issuer.ts'

movesTheClock()

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

afterEach(() => {
  vi.useRealTimers()
})

function moveTime(seconds: number): void {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: now + seconds * 1000 })
}

function isCallback(location: string | undefined): boolean {
  return location?.startsWith(`${applicationUrl}/callback?code=`) ?? false
}

describe.each(storeKinds)('on %s', (store) => {
  test('a user without credentials cannot log in, resets the password, and then can', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser({ email: ada.email, emailVerified: false })
    const app = await createClient(issuer)
    const browser = createBrowser(issuer)
    const begun = await app.begin()
    const form = await browser.get(begun.url)
    const refused = await browser.submit(form, ada)
    expect(refused.status).toBe(422)

    const resetPath = /href="([^"]*\/reset[^"]*)"/.exec(refused.html)?.[1] ?? ''
    const request = await browser.get(resetPath)
    const sent = await browser.submit(request, { email: ada.email })
    expect(sent.html).toContain('Check your inbox')
    const choose = await browser.get(await issuer.lastLink())
    const again = await browser.submit(choose, { password: ada.password })
    expect(again.html).toContain('Your new password is set')
    expect(again.html).toContain(`value="${ada.email}"`)

    const callback = await browser.submit(again, ada)
    const tokens = await app.redeem(begun, callback)
    expect(tokens.claims()).toMatchObject({ email: ada.email, email_verified: true })
  })

  test('a disabled user is refused with the text for a wrong password, and let in when enabled', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser({ ...ada, disabled: true })
    const app = await createClient(issuer)

    const refused = await logIn(issuer, app, ada)
    expect(refused.callback.status).toBe(422)
    expect(refused.callback.html).toContain('The email address or the password is wrong')
    expect(await issuer.actions()).toContain('login.user_disabled')

    await issuer.changeUser(user, { disabled: false })
    expect(isCallback((await logIn(issuer, app, ada)).callback.location)).toBe(true)
  })

  test('a disabled password is refused at the login and cannot be reset', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    const stored = await findPassword(issuer.scope, user.id)
    await updatePassword(issuer.scope, user.id, {
      disabled: true,
      metadata: {},
      alg: stored?.password.alg ?? '',
      hash: stored?.password.hash ?? '',
    })
    const app = await createClient(issuer)
    const { callback, browser } = await logIn(issuer, app, ada)
    expect(callback.status).toBe(422)

    const sent = await browser.submit(await browser.get('/reset'), { email: ada.email })
    expect(sent.html).toContain('Check your inbox')
    expect(await issuer.mails()).toEqual([])
  })

  test('an unverified user proves the address inside the login, which then goes on', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser({ ...ada, emailVerified: false })
    const app = await createClient(issuer)
    const { begun, callback: waiting, browser } = await logIn(issuer, app, ada)
    expect(waiting.html).toContain('please confirm that ada@example.com is yours')

    const tooEarly = await browser.submit(waiting, { step: 'continue' })
    expect(tooEarly.html).toContain('We are still waiting')
    const link = await browser.get(await issuer.lastLink())
    expect(link.html).toContain('Confirm your email address')
    const callback = await browser.submit(link)
    expect((await app.redeem(begun, callback)).claims()).toMatchObject({ email_verified: true })
  })

  test('an address proven in another browser lets the first one go on', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser({ ...ada, emailVerified: false })
    const app = await createClient(issuer)
    const { begun, callback: waiting, browser } = await logIn(issuer, app, ada)

    const phone = createBrowser(issuer)
    const { password } = ada
    const done = await phone.submit(await phone.get(await issuer.lastLink()), { password })
    expect(done.html).toContain('Your address is confirmed')
    expect(done.html).toContain(`${applicationUrl}/login?iss=${encodeURIComponent(issuer.url)}`)

    const callback = await browser.submit(waiting, { step: 'continue' })
    expect((await app.redeem(begun, callback)).access_token).toBeTruthy()
  })

  test('an unverified user logs in directly where the tenant allows it', async () => {
    await using issuer = await startIssuer({ store, settings: { allowUnverified: true } })
    await issuer.addUser({ ...ada, emailVerified: false })
    const app = await createClient(issuer)
    const { begun, callback } = await logIn(issuer, app, ada)
    expect((await app.redeem(begun, callback)).claims()).toMatchObject({ email_verified: false })
  })

  test('with sign-ups off there is no link to sign up and no such page', async () => {
    await using issuer = await startIssuer({ store, settings: { allowSignups: false } })
    const app = await createClient(issuer)
    const browser = createBrowser(issuer)
    const form = await browser.get((await app.begin()).url)
    expect(form.html).not.toContain('/signup')
    expect((await browser.get('/signup')).status).toBe(404)
    const path = new URL(form.url).pathname
    expect((await browser.get(`${path}/signup`)).status).toBe(404)
    const csrf = /name="csrf" value="([^"]*)"/.exec(form.html)?.[1] ?? ''
    const forced = await issuer.fetch(`${issuer.url}${path}/signup`, {
      method: 'POST',
      body: new URLSearchParams({ csrf, ...ada }).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: browser
          .cookies()
          .map(({ name, value }) => `${name}=${value}`)
          .join('; '),
      },
    })
    expect(forced.status).toBe(404)
    expect(await issuer.domain.store.users.findByEmail(issuer.tenant.id, ada.email)).toBeUndefined()
  })

  test('with passwords off there is no form, no reset and no login by password', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    const app = await createClient(issuer)
    const browser = createBrowser(issuer)
    const form = await browser.get((await app.begin()).url)
    await issuer.changeSettings({ allowPasswords: false })

    const refused = await browser.submit(form, ada)
    expect(refused.status).toBe(403)
    expect(refused.html).toContain('You cannot log in here at the moment')
    expect(refused.html).not.toContain('name="password"')
    expect((await browser.get('/reset')).status).toBe(404)
    const stored = await findPassword(issuer.scope, user.id)
    expect(stored).toBeDefined()
  })

  test('a login is remembered for remember_login_seconds and no longer', async () => {
    await using issuer = await startIssuer({ store, settings: { rememberLoginSeconds: 86_400 } })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const { browser } = await logIn(issuer, app, ada)
    const expected = Date.now() + 86_400_000
    const session = browser.cookies().find(({ name }) => name === 'latchkey-session')
    expect(Math.abs((session?.expiresAt ?? 0) - expected)).toBeLessThan(5_000)

    moveTime(86_000)
    expect(isCallback((await browser.get((await app.begin()).url)).location)).toBe(true)
    moveTime(1_000)
    expect((await browser.get((await app.begin()).url)).html).toContain('name="password"')
  })

  test('with remember_login_seconds 0 a login ends with the browser, and after a day', async () => {
    await using issuer = await startIssuer({ store, settings: { rememberLoginSeconds: 0 } })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const first = await logIn(issuer, app, ada)
    expect(isCallback((await first.browser.get((await app.begin()).url)).location)).toBe(true)
    first.browser.restart()
    expect((await first.browser.get((await app.begin()).url)).html).toContain('name="password"')

    const second = await logIn(issuer, app, ada)
    moveTime(86_500)
    expect((await second.browser.get((await app.begin()).url)).html).toContain('name="password"')
  })

  test('a shorter remember_login_seconds ends logins that are older at once', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const { browser } = await logIn(issuer, app, ada)
    moveTime(3_600)
    await issuer.changeSettings({ rememberLoginSeconds: 600 })
    expect((await browser.get((await app.begin()).url)).html).toContain('name="password"')
  })

  test.each(['md5', 'sha1', 'sha256', 'sha512'])(
    'a password imported as %s opens the login, which stores it as bcrypt',
    async (alg) => {
      await using issuer = await startIssuer({ store })
      const user = await issuer.addUser()
      await issuer.setPassword(user, alg, createHash(alg).update(ada.password).digest('hex'))
      const app = await createClient(issuer)
      const read = () => findPassword(issuer.scope, user.id)
      expect((await read())?.password.alg).toBe(`${alg}|bcrypt`)

      const wrong = await logIn(issuer, app, { ...ada, password: 'wrong' })
      expect(wrong.callback.status).toBe(422)
      expect((await read())?.password.alg).toBe(`${alg}|bcrypt`)
      expect(isCallback((await logIn(issuer, app, ada)).callback.location)).toBe(true)
      expect((await read())?.password.alg).toBe('bcrypt')
      expect(isCallback((await logIn(issuer, app, ada)).callback.location)).toBe(true)
    },
  )

  test('a bcrypt password of another cost is brought to the standard cost by the first login', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser()
    await issuer.setPassword(user, 'bcrypt', await bcrypt(ada.password, { cost: 8 }))
    const app = await createClient(issuer)
    expect(isCallback((await logIn(issuer, app, ada)).callback.location)).toBe(true)
    const stored = await findPassword(issuer.scope, user.id)
    expect(stored?.password.cost).toBe(10)
  })

  test('a user who is disabled mid-session loses userinfo, refresh and prompt=none at once', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    const app = await createClient(issuer)
    const scope = { scope: 'openid email offline_access' }
    const { begun, callback, browser } = await logIn(issuer, app, ada, undefined, scope)
    const tokens = await app.redeem(begun, callback)
    await client.fetchUserInfo(app.config, tokens.access_token, user.id)

    await issuer.changeUser(user, { disabled: true })
    await expect(
      client.fetchUserInfo(app.config, tokens.access_token, user.id),
    ).rejects.toMatchObject({ status: 401 })
    await expect(
      client.refreshTokenGrant(app.config, tokens.refresh_token ?? ''),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
    const silent = await browser.get((await app.begin({ prompt: 'none' })).url)
    expect(new URL(silent.location ?? '').searchParams.get('error')).toBe('login_required')

    await issuer.idle()
    await issuer.changeUser(user, { disabled: false })
    await expect(
      client.refreshTokenGrant(app.config, tokens.refresh_token ?? ''),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
    expect((await browser.get((await app.begin()).url)).html).toContain('name="password"')
  })

  test('a user who is deleted mid-session loses the session and cannot log in', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    const app = await createClient(issuer)
    const { begun, callback, browser } = await logIn(issuer, app, ada)
    const tokens = await app.redeem(begun, callback)
    await deleteUser(issuer.scope, user.id)

    await expect(
      client.fetchUserInfo(app.config, tokens.access_token, user.id),
    ).rejects.toMatchObject({ status: 401 })
    const form = await browser.get((await app.begin()).url)
    expect((await browser.submit(form, ada)).status).toBe(422)
  })

  test('a user whose credential is deleted is logged out, and a reset restores access', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    const app = await createClient(issuer)
    const { browser } = await logIn(issuer, app, ada)
    await deleteCredential(issuer.scope, user.id, 'password')

    const form = await browser.get((await app.begin()).url)
    expect(form.html).toContain('name="password"')
    expect((await browser.submit(form, ada)).status).toBe(422)

    await browser.submit(await browser.get('/reset'), { email: ada.email })
    const choose = await browser.get(await issuer.lastLink())
    await browser.submit(choose, { password: 'a brand new one' })
    const again = await logIn(issuer, app, { ...ada, password: 'a brand new one' })
    expect(isCallback(again.callback.location)).toBe(true)
  })

  test('a password reset ends the sessions and tokens of other browsers, and the next login holds', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    const app = await createClient(issuer)
    const thief = await logIn(issuer, app, ada)
    const stolen = await app.redeem(thief.begun, thief.callback)

    const browser = createBrowser(issuer)
    await browser.submit(await browser.get('/reset'), { email: ada.email })
    await browser.submit(await browser.get(await issuer.lastLink()), { password: 'my own new one' })
    const fresh = await logIn(issuer, app, { ...ada, password: 'my own new one' })
    const tokens = await app.redeem(fresh.begun, fresh.callback)

    const userinfo = await client.fetchUserInfo(app.config, tokens.access_token, user.id)
    expect(userinfo.sub).toBe(user.id)
    await expect(
      client.fetchUserInfo(app.config, stolen.access_token, user.id),
    ).rejects.toMatchObject({ status: 401 })
    expect((await thief.browser.get((await app.begin()).url)).html).toContain('name="password"')
  })

  test('another user who logs in over a session ends it, without a script', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const bob = { email: 'bob@example.com', password: 'a different one' }
    const second = await issuer.addUser(bob)
    const app = await createClient(issuer)
    const { browser } = await logIn(issuer, app, ada)

    const begun = await app.begin({ prompt: 'login' })
    const form = await browser.get(begun.url)
    expect(form.html).toContain('enter your password again')
    const callback = await browser.submit(form, bob)
    expect((await app.redeem(begun, callback)).claims()?.sub).toBe(second.id)
  })
})
