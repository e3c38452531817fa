import { beforeEach, describe, expect, test } from 'vitest'
import { findUser } from '../../src/domain/users/users.ts'
import type { Credential, User } from '../../src/store/records.ts'
import { createBrowser, type Page } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { codeOf, hasCode, mailedCode, seedOn } from './support/factors.ts'
import { instantPasswords } from './support/instant-passwords.ts'
import { allStoreKinds, type StoreKind, startIssuer, type TestIssuer } from './support/issuer.ts'
import { answer, createVirtualKey, optionsOn, type VirtualKey } from './support/keys.ts'
import { enrolPasskeyOf } from './support/rogue-keys.ts'
import { startWithProvider } from './support/social.ts'

/** The owner of an address, which is a new one for each test: limits hold for addresses. */
let ada: { email: string; password: string }
/** The credentials of the stranger who made the account. */
let made: typeof ada
let addresses = 0

beforeEach(() => {
  const email = `ada-${++addresses}@example.com`
  ada = { email, password: 'correct horse battery' }
  made = { email, password: 'the password of a stranger' }
})

const SECURITY = '/account/security'

async function credentialsOf({ domain, tenant }: TestIssuer, user: User): Promise<Credential[]> {
  const page = { after: undefined, limit: 100 }
  return (await domain.store.credentials.list(tenant.id, user.id, page))?.items ?? []
}

const kindsOf = async (issuer: TestIssuer, user: User) =>
  (await credentialsOf(issuer, user)).map(({ kind }) => kind).sort()

async function ownerOf(issuer: TestIssuer): Promise<User> {
  const user = await findUser(issuer.scope, ada.email)
  if (!user) throw new Error('There is no such user.')
  return user
}

/** Answers the login page with a key that the browser says is a passkey. */
async function logInByKey(issuer: TestIssuer, key: VirtualKey): Promise<Page> {
  const app = await createClient(issuer)
  const browser = createBrowser(issuer)
  return answer(issuer, browser, await browser.get((await app.begin()).url), key)
}

/**
 * An account that a stranger has made with the address of another person, with a key, an authenticator app and mailed
 * codes as second steps, and a session.
 */
async function startClaimed(store: StoreKind, settings = {}) {
  const world = await startWithProvider({
    store,
    settings: {
      allowHardware: true,
      allowTotpApp: true,
      allowTotpEmail: true,
      allowUnverified: true,
      ...settings,
    },
  })
  const { issuer, app } = world
  const user = await issuer.addUser({ ...made, emailVerified: false })
  const stranger = await logIn(issuer, app, made)
  const key = createVirtualKey()
  const added = await enrolPasskeyOf(issuer, stranger.browser, key)
  expect(added.status).toBeLessThan(400)
  return { ...world, user, stranger, key }
}

describe.each(allStoreKinds)('on %s', (store) => {
  test('a key that was added as a second step does not log in alone, whatever its browser says', async () => {
    await using issuer = await startIssuer({
      store,
      settings: { allowHardware: true },
      passwords: instantPasswords,
    })
    const user = await issuer.addUser(ada)
    const app = await createClient(issuer)
    const { browser } = await logIn(issuer, app, ada)
    const key = createVirtualKey()
    await enrolPasskeyOf(issuer, browser, key)
    expect(await kindsOf(issuer, user)).toContain('hardware')

    const page = await logInByKey(issuer, key)

    expect(page.status).toBe(422)
    expect(hasCode(page)).toBe(false)
    expect(await issuer.actions()).toContain('login.key_second_step')
    // It is a second step all the same.
    const second = await logIn(issuer, app, ada)
    expect(hasCode(await answer(issuer, second.browser, second.callback, key))).toBe(true)
  })

  test('a new password by a mailed link takes an unproven account with everything that was there', async () => {
    await using world = await startClaimed(store)
    const { issuer, app, user, stranger, key } = world

    const owner = createBrowser(issuer)
    await owner.submit(await owner.get('/reset'), { email: ada.email })
    await owner.submit(await owner.get(await issuer.lastLink()), { password: ada.password })

    expect(await kindsOf(issuer, user)).toEqual(['password'])
    expect((await ownerOf(issuer)).verifiedAt).toBeDefined()
    expect(hasCode(await logInByKey(issuer, key))).toBe(false)
    expect(hasCode((await logIn(issuer, app, made)).callback)).toBe(false)
    const silent = await stranger.browser.get((await app.begin({ prompt: 'none' })).url)
    expect(hasCode(silent)).toBe(false)
    // The owner is asked for nothing that the stranger has.
    expect(hasCode((await logIn(issuer, app, ada)).callback)).toBe(true)
  })

  test('a link that confirms an address, with another password, takes the account with everything that was there', async () => {
    await using world = await startClaimed(store)
    const { issuer, app, user, key } = world
    await issuer.changeSettings({ allowUnverified: false })
    const asking = await logIn(issuer, app, made)
    await answer(issuer, asking.browser, asking.callback, key)

    const owner = createBrowser(issuer)
    const link = await owner.get(await issuer.lastLink())
    await owner.submit(link, { password: ada.password })

    expect(await kindsOf(issuer, user)).toEqual(['password'])
    expect(hasCode(await logInByKey(issuer, key))).toBe(false)
    expect(hasCode((await logIn(issuer, app, ada)).callback)).toBe(true)
  })

  test('a mailed code at a tenant without passwords takes the account with everything that was there', async () => {
    await using world = await startClaimed(store)
    const { issuer, app, user, stranger, key } = world
    await issuer.changeSettings({ allowPasswords: false })

    const owner = createBrowser(issuer)
    const begun = await app.begin()
    const asked = await owner.submit(await owner.get(begun.url), { email: ada.email })
    const done = await owner.submit(asked, { code: await mailedCode(issuer) })

    const tokens = await app.redeem(begun, done)
    expect(tokens.claims()).toMatchObject({ sub: user.id, email_verified: true })
    expect(await kindsOf(issuer, user)).toEqual([])
    expect(hasCode(await logInByKey(issuer, key))).toBe(false)
    const silent = await stranger.browser.get((await app.begin({ prompt: 'none' })).url)
    expect(hasCode(silent)).toBe(false)
  })

  test('a login at a provider, with a mailed code, takes the account with everything that was there', async () => {
    await using world = await startClaimed(store)
    const { issuer, provider, user, key } = world
    provider.user = { sub: 'ada-there', email: ada.email, email_verified: true }

    const owner = await world.open()
    const asked = await world.logInBy(owner.browser, owner.form)
    const sent = await owner.browser.submit(asked, { step: 'send' })
    const done = await owner.browser.submit(sent, { code: await mailedCode(issuer) })

    expect(hasCode(done)).toBe(true)
    expect(await kindsOf(issuer, user)).toEqual(['social'])
    expect(hasCode(await logInByKey(issuer, key))).toBe(false)
  })

  test('a stranger’s key that is added during a claim does not survive it, in any order', async () => {
    const settings = { allowHardware: true, allowUnverified: true }
    await using issuer = await startIssuer({ store, settings, passwords: instantPasswords })
    const app = await createClient(issuer)
    for (let round = 0; round < 10; round++) {
      const email = `ada-${++addresses}@example.com`
      const user = await issuer.addUser({ ...made, email, emailVerified: false })
      const stranger = await logIn(issuer, app, { ...made, email })
      const form = await stranger.browser.get(`${SECURITY}/add`)
      const credential = createVirtualKey().create(optionsOn(form, 'passkey'), issuer.url)
      const owner = createBrowser(issuer)
      await owner.submit(await owner.get('/reset'), { email })
      const link = await owner.get(await issuer.lastLink())

      await Promise.all([
        owner.submit(link, { password: ada.password }),
        stranger.browser.submit(form, { credential, use: 'passkey', name: '' }),
      ])

      expect(await kindsOf(issuer, user)).toEqual(['password'])
    }
  })

  test('an account whose address was proven before keeps its second steps when its password is reset', async () => {
    await using issuer = await startIssuer({
      store,
      settings: { allowTotpApp: true },
      passwords: instantPasswords,
    })
    const user = await issuer.addUser(ada)
    const app = await createClient(issuer)
    const { browser } = await logIn(issuer, app, ada)
    const form = await browser.get(`${SECURITY}/add?kind=totp_app`)
    await browser.submit(form, { code: codeOf(seedOn(form)) })

    const owner = createBrowser(issuer)
    await owner.submit(await owner.get('/reset'), { email: ada.email })
    await owner.submit(await owner.get(await issuer.lastLink()), { password: 'another fine one' })

    expect(await kindsOf(issuer, user)).toEqual(['password', 'recovery_codes', 'totp_app'])
  })
})
