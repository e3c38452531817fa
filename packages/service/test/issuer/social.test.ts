import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Fault } from '../../../testing/src/misbehaving/faults.ts'
import { startMisbehavingProvider } from '../../../testing/src/misbehaving-provider.ts'
import { callbackPathOf } from '../../src/domain/connections/callback-paths.ts'
import { updateConnection } from '../../src/domain/connections/connections.ts'
import { connectAccount } from '../../src/domain/factors/social.ts'
import {
  deleteCredential,
  listCredentials,
  updateCredential,
} from '../../src/domain/users/credentials.ts'
import { findUser, listUsers } from '../../src/domain/users/users.ts'
import { createBrowser } from './support/browser.ts'
import { logIn } from './support/client.ts'
import { addApp, allFactors, codeOf, hasCode, MFA, mailedCode } from './support/factors.ts'
import { movesTheClock, storeKinds, type TestIssuer } from './support/issuer.ts'
import { createVirtualKey, giveKey } from './support/keys.ts'
import { answerOf, connect, noteOf, startWithProvider } from './support/social.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

const adaThere = { sub: 'ada-there', email: ada.email, email_verified: true, name: 'Ada L.' }

const page = { after: undefined, limit: 100 }

/** The ids of a user's credentials. */
async function credentialsOf({ scope, domain, tenant }: TestIssuer, email = ada.email) {
  const user = await findUser(scope, email)
  const listed = user && (await domain.store.credentials.list(tenant.id, user.id, page))
  return listed?.items.map(({ id, kind }) => (kind === 'social' ? 'social' : id)) ?? []
}

/** All that a login may have written. */
async function stateOf(issuer: TestIssuer) {
  const users = await listUsers(issuer.scope, page)
  const below = await Promise.all(users.items.map(({ email }) => credentialsOf(issuer, email)))
  return { users, below, mails: await issuer.mails() }
}

describe.each(storeKinds)('on %s', (store) => {
  test('a visitor without an account gets one, and logs in by it again, with what the provider says', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { issuer, provider, app } = world
    provider.user = adaThere
    const { browser, begun, form } = await world.open()

    expect(form.html).toContain('Continue with Example')
    const done = await world.logInBy(browser, form)
    const claims = (await app.redeem(begun, done)).claims()

    expect(claims).toMatchObject({ email: ada.email, email_verified: true, amr: ['fed'] })
    expect(claims).not.toHaveProperty('acr')
    const user = await findUser(issuer.scope, ada.email)
    expect(user).toMatchObject({ id: claims?.sub, profile: { name: 'Ada L.' } })
    const again = await world.open()
    const second = await world.logInBy(again.browser, again.form)
    expect((await app.redeem(again.begun, second)).claims()?.sub).toBe(user?.id)
    expect(await credentialsOf(issuer)).toEqual(['social'])
    expect(await issuer.actions()).toEqual(
      expect.arrayContaining(['user.create', 'credential.use', 'login.succeeded']),
    )
    expect(world.warnings).toEqual([])
  })

  test('the request to the provider has PKCE, a nonce and a state that are new each time, and no secret', async () => {
    await using world = await startWithProvider({ store })
    const { provider } = world
    const requests = []
    for (const parameters of [{}, { prompt: 'login' }]) {
      const { browser, form } = await world.open(undefined, parameters)
      const sent = await browser.submit(form, { connection: world.connection.id })
      requests.push(new URL(sent.location ?? '').searchParams)
    }
    const [first, second] = requests

    expect(first?.get('code_challenge_method')).toBe('S256')
    expect(first?.get('redirect_uri')).toBe(
      `${world.issuer.url}${callbackPathOf(world.connection)}`,
    )
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(first?.get(name)).toMatch(/^[\w-]{43}$/)
      expect(first?.get(name)).not.toBe(second?.get(name))
    }
    expect(first?.get('prompt')).toBeNull()
    expect(second?.get('prompt')).toBe('login')
    expect(`${first}`).not.toContain(provider.clientSecret)
  })

  test('M16: the same subject at two providers is two people', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    await using other = await startMisbehavingProvider()
    const { issuer, provider } = world
    const second = await connect(issuer, other, { name: 'Other', trustEmail: true })
    provider.user = { sub: '1', email: 'one@example.com', email_verified: true }
    other.user = { sub: '1', email: 'two@example.com', email_verified: true }

    const one = await world.open()
    expect(hasCode(await world.logInBy(one.browser, one.form))).toBe(true)
    const two = await world.open()
    const done = await world.logInBy(two.browser, two.form, second)

    const claims = (await world.app.redeem(two.begun, done)).claims()
    expect(claims?.email).toBe('two@example.com')
    expect((await listUsers(issuer.scope, page)).total).toBe(2)
  })

  test('M17: an account is not connected by an address that is not proven, whatever the provider is trusted with', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { issuer, provider } = world
    await issuer.addUser(ada)
    const before = await stateOf(issuer)

    for (const email_verified of [undefined, false, 'true', 1]) {
      provider.user = { sub: 'mallory', email: ada.email, email_verified }
      const { browser, form } = await world.open()
      const asked = await world.logInBy(browser, form)
      expect(noteOf(asked)).toBe(
        'There is an account for ada@example.com. Log in to it once to connect Example.',
      )
      expect(hasCode(asked)).toBe(false)
    }
    provider.user = { sub: 'mallory', email: 'mallory@example.com', email_verified: true }
    const { browser, form } = await world.open()
    expect(hasCode(await world.logInBy(browser, form))).toBe(true)
    expect(await credentialsOf(issuer)).toEqual(before.below[0])
  })

  test('M17: of Microsoft only the claim xms_edov says that an address is proven', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { issuer, provider, connection } = world
    await issuer.addUser(ada)
    await issuer.domain.store.connections.update(
      issuer.tenant.id,
      connection.id,
      (last) => ({ ...last, recipe: 'microsoft' }),
      { ...(await issuer.audit())[0], action: 'connection.update' } as never,
    )

    const trust = async (claims: object) => {
      provider.user = { sub: 'ada-there', email: ada.email, ...claims }
      const { browser, form } = await world.open()
      return hasCode(await world.logInBy(browser, form))
    }
    expect(await trust({ email_verified: true })).toBe(false)
    expect(await trust({ xms_edov: false })).toBe(false)
    expect(await trust({ xms_edov: true })).toBe(true)
  })

  test('an address that a trusted provider gives to another of its users opens no account: its owner or an operator decides', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { issuer, provider } = world
    const user = await issuer.addUser(ada)
    provider.user = adaThere
    const first = await world.open()
    expect(hasCode(await world.logInBy(first.browser, first.form))).toBe(true)
    const before = await credentialsOf(issuer)

    provider.user = { ...adaThere, sub: 'the next owner of the address' }
    const { browser, form } = await world.open()
    const refused = await world.logInBy(browser, form)

    expect([refused.status, hasCode(refused)]).toEqual([422, false])
    expect(noteOf(refused)).toMatch(/^Another account at Example is connected to this address/)
    expect(hasCode(await browser.submit(refused, ada))).toBe(true)
    expect(await credentialsOf(issuer)).toEqual(before)
    const page = { after: undefined, limit: 10 }
    const listed = await issuer.domain.store.credentials.list(issuer.tenant.id, user.id, page)
    const social = listed?.items.find(({ kind }) => kind === 'social')
    await deleteCredential(issuer.scope, user.id, social?.id ?? '')
    const again = await world.open()
    expect(hasCode(await world.logInBy(again.browser, again.form))).toBe(true)
  })

  test('an account of a trusted provider with a proven address is connected at once, and the user is told', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { issuer, provider, app } = world
    const user = await issuer.addUser(ada)
    provider.user = adaThere
    const { browser, begun, form } = await world.open()

    const done = await world.logInBy(browser, form)

    expect((await app.redeem(begun, done)).claims()).toMatchObject({ sub: user.id, amr: ['fed'] })
    expect(await credentialsOf(issuer)).toEqual(['password', 'social'])
    expect((await issuer.mails())[0]?.text).toContain('your account at Example')
  })

  test('an account of another provider is connected once its user has logged in here with everything that is asked for', async () => {
    await using world = await startWithProvider({ store, settings: { allowTotpApp: true } })
    const { issuer, provider, app } = world
    const user = await issuer.addUser(ada)
    const { seed } = await addApp(issuer, user)
    provider.user = adaThere
    const { browser, begun, form } = await world.open()

    const asked = await world.logInBy(browser, form)
    expect(asked.html).toContain('value="ada@example.com"')
    const wrong = await browser.submit(asked, { ...ada, password: 'wrong' })
    expect(wrong.html).toContain('Log in to it once to connect Example.')
    const second = await browser.submit(wrong, ada)
    expect(second.html).toContain('autocomplete="one-time-code"')
    expect(await credentialsOf(issuer)).not.toContain('social')
    const done = await browser.submit(second, { code: codeOf(seed) })

    expect((await app.redeem(begun, done)).claims()?.amr).toEqual(['pwd', 'otp', 'mfa'])
    expect(await credentialsOf(issuer)).toContain('social')
    moveTime(60)
    const again = await world.open()
    const factor = await world.logInBy(again.browser, again.form)
    expect(factor.html).toContain('autocomplete="one-time-code"')
    const last = await again.browser.submit(factor, { code: codeOf(seed) })
    const claims = (await app.redeem(again.begun, last)).claims()
    expect(claims).toMatchObject({
      sub: user.id,
      amr: ['fed', 'otp'],
      acr: 'urn:latchkey:acr:two-step',
    })
  })

  test('a user who logged in at a provider is asked for the password if only that reaches the required level', async () => {
    const settings = { allowTotpApp: true }
    await using world = await startWithProvider({ store, settings }, { trustEmail: true })
    const { issuer, provider, app } = world
    const user = await issuer.addUser(ada)
    const { seed } = await addApp(issuer, user)
    provider.user = adaThere
    const first = await world.open()
    const factor = await world.logInBy(first.browser, first.form)
    expect(hasCode(await first.browser.submit(factor, { code: codeOf(seed) }))).toBe(true)
    moveTime(60)

    const { browser, begun, form } = await world.open(first.browser, { acr_values: MFA })
    expect(form.html).toContain('name="password"')
    const second = await browser.submit(form, ada)
    const done = await browser.submit(second, { code: codeOf(seed) })

    expect((await app.redeem(begun, done)).claims()).toMatchObject({ sub: user.id, acr: MFA })
    const again = await world.open(browser, { acr_values: MFA })
    expect(hasCode(again.form)).toBe(true)
  })

  test('a user who logged in at a provider is asked for the password if a second step can only be added after it', async () => {
    const settings = { allowTotpApp: true }
    await using world = await startWithProvider({ store, settings }, { trustEmail: true })
    const { issuer, provider, app } = world
    await issuer.addUser(ada)
    provider.user = adaThere
    const first = await world.open()
    expect(hasCode(await world.logInBy(first.browser, first.form))).toBe(true)

    const { browser, begun, form } = await world.open(first.browser, { acr_values: MFA })
    const asked = await browser.submit(form, ada)
    expect(asked.html).toContain('authenticator app')
    const seed = /<code>([A-Z2-7 ]+)<\/code>/.exec(asked.html)?.[1] ?? ''
    const codes = await browser.submit(asked, { code: codeOf(seed) })
    const done = await browser.submit(codes, { step: 'continue' })

    expect((await app.redeem(begun, done)).claims()).toMatchObject({ acr: MFA })
  })

  test('a user who logs in at a provider is offered the password once if only that reaches the required level', async () => {
    const settings = { allowTotpApp: true }
    await using world = await startWithProvider({ store, settings }, { trustEmail: true })
    const { issuer, provider, app } = world
    const user = await issuer.addUser(ada)
    const { seed } = await addApp(issuer, user)
    provider.user = adaThere
    const { browser, begun, form } = await world.open(undefined, { acr_values: MFA })

    const offer = await world.logInBy(browser, form)
    expect(offer.html).toContain('name="password"')
    expect(noteOf(offer)).toContain('stronger login')
    const second = await browser.submit(offer, ada)
    const strong = await browser.submit(second, { code: codeOf(seed) })
    expect((await app.redeem(begun, strong)).claims()).toMatchObject({ sub: user.id, acr: MFA })

    moveTime(60)
    const other = await world.open(undefined, { acr_values: MFA })
    const again = await world.logInBy(other.browser, other.form)
    const factor = await world.logInBy(other.browser, again)
    const weak = await other.browser.submit(factor, { code: codeOf(seed) })
    const claims = (await app.redeem(other.begun, weak)).claims()
    expect(claims).toMatchObject({ sub: user.id, acr: 'urn:latchkey:acr:two-step' })
  })

  test('a login as somebody else than the owner of the address connects nothing', async () => {
    await using world = await startWithProvider({ store })
    const { issuer, provider } = world
    await issuer.addUser(ada)
    const grace = { ...ada, email: 'grace@example.com' }
    await issuer.addUser(grace)
    provider.user = adaThere
    const { browser, form } = await world.open()

    const asked = await world.logInBy(browser, form)
    expect(hasCode(await browser.submit(asked, grace))).toBe(true)

    expect(await credentialsOf(issuer)).toEqual(['password'])
    expect(await credentialsOf(issuer, grace.email)).toEqual(['password'])
  })

  test('M18: who signed up with a foreign address loses the account to the reader of its mail', async () => {
    await using world = await startWithProvider(
      { store, settings: { allowUnverified: true } },
      {
        trustEmail: true,
      },
    )
    const { issuer, provider, app } = world
    await issuer.addUser({ ...ada, emailVerified: false })
    const stranger = await logIn(issuer, app, ada)
    expect(hasCode(stranger.callback)).toBe(true)
    provider.user = adaThere
    moveTime(2)
    const { browser, begun, form } = await world.open()

    const asked = await world.logInBy(browser, form)
    expect(asked.html).toContain('Example says that your email address is ada@example.com.')
    expect(await credentialsOf(issuer)).toEqual(['password'])
    const sent = await browser.submit(asked, { step: 'send' })
    const done = await browser.submit(sent, { code: await mailedCode(issuer) })

    expect((await app.redeem(begun, done)).claims()?.amr).toEqual(['fed'])
    expect((await findUser(issuer.scope, ada.email))?.verifiedAt).toBeDefined()
    expect(await credentialsOf(issuer)).toEqual(['social'])
    expect((await logIn(issuer, app, ada)).callback.status).toBe(422)
    expect(hasCode(await stranger.browser.get((await app.begin({ prompt: 'none' })).url))).toBe(
      false,
    )
  })

  test('M18: who signed up by a provider with a foreign address is out once its owner sets a password', async () => {
    await using world = await startWithProvider({ store, settings: { allowUnverified: true } })
    const { issuer, provider } = world
    provider.user = { sub: 'mallory', email: ada.email }
    const mallory = await world.open()
    expect(hasCode(await world.logInBy(mallory.browser, mallory.form))).toBe(true)
    moveTime(2)

    const owner = createBrowser(issuer)
    await owner.submit(await owner.get('/reset'), { email: ada.email })
    const link = await owner.get(await issuer.lastLink())
    await owner.submit(link, { password: ada.password })

    expect(await credentialsOf(issuer)).toEqual(['password'])
    const again = await world.open()
    expect(hasCode(await world.logInBy(again.browser, again.form))).toBe(false)
  })

  test('M18: without passwords, a link that is followed in another browser takes the account from who made it', async () => {
    const settings = { allowUnverified: true, allowPasswords: false }
    await using world = await startWithProvider({ store, settings })
    const { issuer, provider } = world
    provider.user = { sub: 'mallory', email: ada.email }
    const mallory = await world.open()
    expect(hasCode(await world.logInBy(mallory.browser, mallory.form))).toBe(true)
    await issuer.changeSettings({ allowUnverified: false })
    moveTime(2)
    const asked = await world.open()
    expect(hasCode(await world.logInBy(asked.browser, asked.form))).toBe(false)

    const owner = createBrowser(issuer)
    const link = await owner.get(await issuer.lastLink())
    expect(link.html).toContain('in case another person connected them')
    expect((await owner.submit(link)).status).toBe(200)

    expect(await credentialsOf(issuer)).toEqual([])
    expect((await findUser(issuer.scope, ada.email))?.verifiedAt).toBeDefined()
    const again = await world.open()
    expect(hasCode(await world.logInBy(again.browser, again.form))).toBe(false)
    expect(hasCode(await mallory.browser.get((await world.app.begin()).url))).toBe(false)
  })

  test('without passwords, a user who has no way to log in connects an account at a provider by a mailed code', async () => {
    const settings = { allowPasswords: false, allowSignups: false }
    await using world = await startWithProvider({ store, settings })
    const { issuer, provider, app } = world
    const user = await issuer.addUser({ email: ada.email })
    provider.user = { sub: 'ada-there', email: ada.email }
    const { browser, begun, form } = await world.open()

    const asked = await world.logInBy(browser, form)
    expect(await credentialsOf(issuer)).toEqual([])
    const sent = await browser.submit(asked, { step: 'send' })
    const done = await browser.submit(sent, { code: await mailedCode(issuer) })

    expect((await app.redeem(begun, done)).claims()).toMatchObject({ sub: user.id, amr: ['fed'] })
    expect(await credentialsOf(issuer)).toEqual(['social'])
    // A second account at a provider, of anyone, needs that login from then on, also while it is disabled.
    provider.user = { sub: 'mallory', email: ada.email }
    const refused = async () => {
      const other = await world.open()
      return world.logInBy(other.browser, other.form)
    }
    expect((await refused()).html).not.toContain('value="send"')
    const [social] = (await listCredentials(issuer.scope, user.id, page)).items
    await updateCredential(issuer.scope, user.id, social?.id ?? '', {
      disabled: true,
      metadata: {},
    })
    expect((await refused()).html).not.toContain('value="send"')
  })

  test('without passwords and keys, a user who has a passkey connects an account at a provider by a mailed code', async () => {
    const settings = { allowPasswords: false, allowSignups: false, allowHardware: true }
    await using world = await startWithProvider({ store, settings })
    const { issuer, provider, app } = world
    const user = await issuer.addUser({ email: ada.email })
    await giveKey(issuer, user, createVirtualKey())
    provider.user = { sub: 'ada-there', email: ada.email }
    const first = await world.open()
    expect((await world.logInBy(first.browser, first.form)).html).not.toContain('value="send"')
    await issuer.changeSettings({ allowHardware: false })

    const { browser, begun, form } = await world.open()
    const asked = await world.logInBy(browser, form)
    const sent = await browser.submit(asked, { step: 'send' })
    const done = await browser.submit(sent, { code: await mailedCode(issuer) })

    expect((await app.redeem(begun, done)).claims()).toMatchObject({ sub: user.id, amr: ['fed'] })
  })

  test('without passwords, a link that is followed in the browser that began proves the address and removes nothing', async () => {
    await using world = await startWithProvider({ store, settings: { allowUnverified: true } })
    const { issuer, provider } = world
    provider.user = { sub: 'ada-there', email: ada.email }
    const first = await world.open()
    await world.logInBy(first.browser, first.form)
    await issuer.changeSettings({ allowUnverified: false, allowPasswords: false })
    const { browser, form } = await world.open()
    await world.logInBy(browser, form)

    const link = await browser.get(await issuer.lastLink())
    expect(link.html).not.toContain('another person')
    expect(hasCode(await browser.submit(link))).toBe(true)

    expect(await credentialsOf(issuer)).toEqual(['social'])
  })

  test('a new account is made once its address is proven, where the provider is not trusted with it', async () => {
    await using world = await startWithProvider({ store })
    const { issuer, provider, app } = world
    provider.user = adaThere
    const { browser, begun, form } = await world.open()

    const asked = await world.logInBy(browser, form)
    expect((await listUsers(issuer.scope, page)).total).toBe(0)
    const sent = await browser.submit(asked, { step: 'send' })
    expect((await browser.submit(sent, { code: '00000000' })).status).toBe(422)
    const done = await browser.submit(sent, { code: await mailedCode(issuer) })

    const claims = (await app.redeem(begun, done)).claims()
    expect(claims).toMatchObject({ email: ada.email, email_verified: true, amr: ['fed'] })
  })

  test('M19: the code for one account at a provider is worth nothing for a second one, nor for another address', async () => {
    await using world = await startWithProvider({ store })
    const { issuer, provider } = world
    await issuer.addUser({ email: ada.email, emailVerified: false })
    provider.user = adaThere
    const { browser, form } = await world.open()
    const asked = await world.logInBy(browser, form)
    await browser.submit(asked, { step: 'send' })
    const code = await mailedCode(issuer)

    provider.user = { sub: 'mallory', email: ada.email }
    const second = await world.logInBy(browser, form)
    const post = (fields: Record<string, string>) => {
      const csrf = tokenOn(second.html)
      const body = new URLSearchParams({ ...fields, email: 'mallory@example.com', csrf })
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return browser.send(second.url, { method: 'POST', body: `${body}`, headers })
    }
    expect((await post({ code })).status).toBe(422)
    expect(await credentialsOf(issuer)).toEqual([])
    await post({ step: 'send' })
    for (const mail of await issuer.mails()) expect(mail.to).toBe(ada.email)
  })

  test('M20: a connection, or the setting, that is switched off lets nobody in, neither at the start nor at the end', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { issuer, provider, connection } = world
    provider.user = adaThere
    const enable = (enabled: boolean) => updateConnection(issuer.scope, connection.id, { enabled })
    const allow = (allowSocial: boolean) => issuer.changeSettings({ allowSocial })

    for (const turn of [enable, allow]) {
      const { browser, form } = await world.open()
      const sent = await browser.submit(form, { connection: connection.id })
      const answer = await answerOf(sent)
      await turn(false)

      const started = await browser.submit(form, { connection: connection.id })
      expect(noteOf(started)).toBe('Logging in this way is switched off. Choose another way.')
      const ended = await browser.get(answer)
      expect(hasCode(ended)).toBe(false)
      expect(noteOf(ended)).toBe('Logging in this way is switched off. Choose another way.')
      expect((await world.open()).form.html).not.toContain('Continue with Example')
      expect((await listUsers(issuer.scope, page)).total).toBe(0)
      expect(provider.count('/token')).toBe(0)
      await turn(true)
    }
  })

  test('M20: a provider’s response is not accepted if its connection was switched off meanwhile', async () => {
    await using world = await startWithProvider({ store })
    const { issuer, provider, connection } = world
    provider.user = adaThere
    const { browser, form } = await world.open()
    const asked = await world.logInBy(browser, form)
    const sent = await browser.submit(asked, { step: 'send' })
    await updateConnection(issuer.scope, connection.id, { enabled: false })

    const refused = await browser.submit(sent, { code: await mailedCode(issuer) })

    expect(noteOf(refused)).toContain('switched off')
    expect((await listUsers(issuer.scope, page)).total).toBe(0)
  })

  test('M20: a login that waits for its second step ends when its connection is switched off meanwhile', async () => {
    await using world = await startWithProvider({ store, settings: allFactors })
    const { issuer, provider, connection } = world
    const user = await issuer.addUser(ada)
    await connectAccount(issuer.scope, user, {
      ...{ connectionId: connection.id, issuer: provider.issuer, subject: 'ada-there', email: '' },
    })
    const { seed } = await addApp(issuer, user)
    provider.user = { ...adaThere, sub: 'ada-there' }
    const { browser, form } = await world.open()
    const waiting = await world.logInBy(browser, form)
    await updateConnection(issuer.scope, connection.id, { enabled: false })

    const page = await browser.submit(waiting, { code: codeOf(seed) })

    expect(hasCode(page)).toBe(false)
    expect(page.html).toContain('name="email"')
  })

  test('M21: the answer of a provider counts once, in the browser and at the tenant where its login began', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    await using elsewhere = await startWithProvider({ store }, { trustEmail: true })
    const { issuer, provider } = world
    provider.user = adaThere
    const { browser, form } = await world.open()
    const answer = await answerOf(await browser.submit(form, { connection: world.connection.id }))
    const before = await stateOf(issuer)

    const other = await world.open()
    const strangers = [createBrowser(issuer), other.browser]
    for (const stranger of strangers) {
      expect((await stranger.get(answer)).status).toBe(400)
    }
    const { pathname, search } = new URL(answer)
    const far = await elsewhere.open()
    expect((await far.browser.get(`${pathname}${search}`)).status).toBe(400)
    for (const bad of ['', '?state=', '?state=x&code=y', '?code=y']) {
      expect((await browser.get(`${pathname}${bad}`)).status).toBe(400)
    }
    expect(await stateOf(issuer)).toEqual(before)
    expect(provider.count('/token')).toBe(0)

    expect(hasCode(await browser.get(answer))).toBe(true)
    const after = await stateOf(issuer)
    expect((await browser.get(answer)).html).not.toContain('name="password"')
    expect(provider.count('/token')).toBe(1)
    expect(await stateOf(issuer)).toEqual(after)
  })

  test('M21: a response belongs to the login in which it was requested, also from another tab of the browser', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { provider, app } = world
    provider.user = adaThere
    const { browser, begun, form } = await world.open()
    const second = await world.open(browser)
    const answer = await answerOf(await browser.submit(form, { connection: world.connection.id }))

    expect(hasCode(await browser.submit(second.form, ada))).toBe(false)
    const done = await browser.get(answer)

    expect((await app.redeem(begun, done)).claims()?.amr).toEqual(['fed'])
  })

  test('M22: no token of the provider is stored, and the stored entries contain no secret', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { issuer, provider } = world
    provider.user = adaThere
    const { browser, form } = await world.open()
    expect(hasCode(await world.logInBy(browser, form))).toBe(true)

    const { connections, credentials } = issuer.domain.store
    const user = await findUser(issuer.scope, ada.email)
    const kept = [
      await issuer.dumpProtocol(),
      JSON.stringify(await connections.list(issuer.tenant.id)),
      JSON.stringify(await credentials.list(issuer.tenant.id, user?.id ?? '', page)),
      JSON.stringify(await issuer.audit()),
      JSON.stringify(world.warnings),
    ].join('\n')
    expect(provider.secrets.length).toBeGreaterThan(5)
    for (const secret of provider.secrets) expect(kept).not.toContain(secret)
  })

  test('every fault of a provider ends at a page with another way, a line in the log, and nothing written', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { issuer, provider } = world
    await issuer.addUser(ada)
    provider.user = adaThere
    const before = await stateOf(issuer)
    const faults: Fault[] = [
      'iss of another provider',
      'iss missing',
      'code missing',
      'code repeated',
      'state repeated',
      'unknown code',
      'access_denied',
      'error with markup',
      'invalid_grant',
      'invalid_client',
      'error_description repeats the request',
      'token response without id_token',
      'token response is an array',
      'token response in broken HTTP',
      'id_token signed with a foreign key under a known kid',
      'id_token with a changed payload',
      'id_token with alg none',
      'id_token with alg HS256',
      'id_token is not a JWT',
      'id_token from another issuer',
      'id_token for another client',
      'id_token expired',
      'id_token with another nonce',
      'id_token without nonce',
      'id_token without sub',
      'id_token with an empty sub',
      'id_token with a sub of 256 characters',
      'id_token with a sub that is not ASCII',
      'token: down',
      'token: html',
      'token: redirecting',
      'token: server error',
      'token: huge',
    ]
    for (const fault of faults) {
      const { browser, form } = await world.open()
      const sent = await browser.submit(form, { connection: world.connection.id })
      provider.fault = fault
      const ended = await browser.get(await answerOf(sent))
      provider.fault = undefined

      expect([fault, hasCode(ended)]).toEqual([fault, false])
      expect([fault, ended.status]).toEqual([fault, expect.toSatisfy(isRefusal)])
      expect(noteOf(ended)).toMatch(/Example.* [Ll]og in another way\.$/)
      expect(ended.html).toContain('name="password"')
      expect(world.warnings.splice(0)).toEqual([
        expect.objectContaining({ connection: world.connection.id, tenantId: issuer.tenant.id }),
      ])
    }
    expect(await stateOf(issuer)).toEqual(before)
    expect(issuer.problems).toEqual([])
  })

  test('a provider that is down when a login begins is said to be, and is asked again later', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { provider } = world
    provider.user = adaThere
    const { browser, form } = await world.open()
    await provider.stop()

    const down = await browser.submit(form, { connection: world.connection.id })
    expect(down.status).toBe(503)
    expect(noteOf(down)).toBe('We could not reach Example. Try again, or log in another way.')
    expect(world.warnings).toMatchObject([{ problem: 'unreachable' }])
    await provider.start()

    expect(hasCode(await world.logInBy(browser, down))).toBe(true)
  })

  test('cached metadata of a provider are used while it does not answer', async ({ skip }) => {
    skip(store === 'cluster', 'each process asks the provider for itself')
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { provider } = world
    provider.user = adaThere
    const one = await world.open()
    expect(hasCode(await world.logInBy(one.browser, one.form))).toBe(true)
    provider.fault = 'discovery: server error'
    moveTime(3_700)
    const two = await world.open()

    const sent = await two.browser.submit(two.form, { connection: world.connection.id })
    provider.fault = undefined
    expect(hasCode(await two.browser.get(await answerOf(sent)))).toBe(true)
    expect(world.warnings).toHaveLength(1)
    expect(provider.count('/.well-known/openid-configuration')).toBe(2)
  })

  test('a form that a provider sends from its own site is read as a query, without unknown parameters', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { provider, issuer } = world
    provider.user = adaThere
    const { browser, form } = await world.open()
    const answer = new URL(
      await answerOf(await browser.submit(form, { connection: world.connection.id })),
    )
    const body = new URLSearchParams([...answer.searchParams, ['user', '{"name":"Ada"}']])
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'cross-site',
    }

    const sent = await browser.send(answer.pathname, {
      method: 'POST',
      body: `${body}`,
      headers,
    })
    expect(sent.status).toBe(303)
    expect(sent.location).not.toContain('user=')
    expect(hasCode(await browser.get(`${issuer.url}${sent.location}`))).toBe(true)
  })

  test('a user who may not sign up, has no address, or is disabled is refused', async () => {
    await using world = await startWithProvider({ store }, { allowSignup: false })
    const { issuer, provider, connection } = world
    const attempt = async () => {
      const { browser, form } = await world.open()
      const ended = await world.logInBy(browser, form)
      expect([hasCode(ended), ended.status]).toEqual([false, 422])
      return noteOf(ended)
    }
    provider.user = adaThere
    expect(await attempt()).toContain('No account here is connected with Example')
    await updateConnection(issuer.scope, connection.id, { allowSignup: true })
    await issuer.changeSettings({ allowSignups: false })
    expect(await attempt()).toContain('No account here is connected with Example')
    provider.user = { sub: 'ada-there' }
    expect(await attempt()).toContain('Example has not told us your email address.')
    await issuer.addUser({ ...ada, disabled: true })
    provider.user = adaThere
    expect(await attempt()).toBe(
      'This account at Example cannot be used to log in. Log in another way.',
    )
  })

  test('an account at a provider that was disabled, or whose user was, lets nobody in', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { issuer, provider } = world
    provider.user = adaThere
    const first = await world.open()
    expect(hasCode(await world.logInBy(first.browser, first.form))).toBe(true)
    const user = await findUser(issuer.scope, ada.email)
    if (!user) throw new Error('There is no user.')
    const attempt = async () => {
      const { browser, form } = await world.open()
      return hasCode(await world.logInBy(browser, form))
    }

    await issuer.changeUser(user, { disabled: true })
    expect(await attempt()).toBe(false)
    await issuer.changeUser(user, { disabled: false })
    expect(await attempt()).toBe(true)
    const [social] = (await listCredentials(issuer.scope, user.id, page)).items
    await updateCredential(issuer.scope, user.id, social?.id ?? '', {
      disabled: true,
      metadata: {},
    })
    expect(await attempt()).toBe(false)
  })

  test('at a tenant with only a provider, users can log in only there', async () => {
    const settings = { allowPasswords: false, allowSignups: true }
    await using world = await startWithProvider({ store, settings }, { trustEmail: true })
    const { provider, connection, issuer } = world
    provider.user = adaThere
    const { browser, form } = await world.open()

    expect(form.html).not.toContain('name="password"')
    expect(hasCode(await world.logInBy(browser, form))).toBe(true)
    await updateConnection(issuer.scope, connection.id, { enabled: false })
    expect((await world.open()).form.html).toContain('Logging in is switched off')
  })

  test('a level that a login at a provider cannot reach is not claimed, and does not cause a loop', async () => {
    await using world = await startWithProvider(
      { store, settings: { allowTotpApp: true } },
      { trustEmail: true },
    )
    const { provider, app } = world
    provider.user = adaThere
    const { browser, begun, form } = await world.open(undefined, { acr_values: MFA })
    const done = await world.logInBy(browser, form)

    expect((await app.redeem(begun, done)).claims()).not.toHaveProperty('acr')
    const again = await world.open(browser, { acr_values: MFA })
    expect(hasCode(again.form)).toBe(true)
  })
})

const isRefusal = (status: number) => status === 422 || status === 503

const tokenOn = (html: string): string => /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
