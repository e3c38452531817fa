import { describe, expect, test } from 'vitest'
import { mailCredential, proveTotp, renewRecoveryCodes } from '../../src/domain/factors/factors.ts'
import {
  changePassword,
  changeProfile,
  endAllSessions,
  resetPassword,
} from '../../src/domain/users/accounts.ts'
import { deleteCredential } from '../../src/domain/users/credentials.ts'
import { findPassword, hashPassword, verifyPassword } from '../../src/domain/users/passwords.ts'
import { findUser } from '../../src/domain/users/users.ts'
import { addCredential, removeOwnCredential } from '../../src/domain/ways/account-changes.ts'
import { originOf } from '../../src/domain/ways/valid-links.ts'
import type { DataStore } from '../../src/store/ports.ts'
import type { ProtocolStore } from '../../src/store/protocol-store.ts'
import type { StoredPassword, User } from '../../src/store/records.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { addApp, codeOf, startWithFactors } from './support/factors.ts'
import { instantPasswords } from './support/instant-passwords.ts'
import { storeKinds, type TestIssuer } from './support/issuer.ts'
import { startWithProvider } from './support/social.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const RESET = 'what the owner chose'
const CHOSEN = 'another fine long one'

async function open(issuer: TestIssuer, path: string): Promise<{ browser: Browser; page: Page }> {
  const browser = createBrowser(issuer)
  return { browser, page: await browser.submit(await browser.get(path), ada) }
}

/** The owner of the address sets another password by a mailed link, which ends all sessions. */
async function reset({ scope, domain }: TestIssuer, user: User, password = RESET): Promise<void> {
  const stored = await hashPassword(scope, password, 'login')
  expect(await resetPassword(scope, user, stored, await originOf(domain, user))).toBe(true)
}

/** What another request does once, in the middle of the one that is tested. */
function createMeanwhile() {
  const meanwhile = {
    will: undefined as (() => Promise<unknown>) | undefined,
    async happens(): Promise<void> {
      const happen = meanwhile.will
      meanwhile.will = undefined
      await happen?.()
    },
  }
  return meanwhile
}

/** The data, where something happens before each update of an account. */
const beforeUpdates = (data: DataStore, happens: () => Promise<void>): DataStore => ({
  ...data,
  users: {
    ...data.users,
    async updateAccount(...given) {
      await happens()
      return data.users.updateAccount(...given)
    },
  },
})

const isPasswordOf = async ({ scope }: TestIssuer, user: User, password: string) =>
  (await verifyPassword(scope, user, password)).kind === 'verified'

const tokenOn = ({ html }: Page): string => /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''

describe.each(storeKinds)('on %s', (store) => {
  test('a form of the account that comes in slowly does nothing once the session has ended', async () => {
    const { issuer, user } = await startWithFactors({ store })
    await using _ = issuer
    const { browser, page } = await open(issuer, '/account/profile')
    const body = new TransformStream<Uint8Array, Uint8Array>()
    const writer = body.writable.getWriter()
    const form = new URLSearchParams({ csrf: tokenOn(page), name: 'Mallory' })

    const answer = browser.send('/account/profile', {
      method: 'POST',
      body: body.readable,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      },
      duplex: 'half',
    })
    await writer.write(Buffer.from(`${form}`.slice(0, -1)))
    for (let n = 0; n < 5; n++) expect((await browser.get('/account')).status).toBe(200)
    await endAllSessions(issuer.scope, user.id)
    await writer.write(Buffer.from('y'))
    await writer.close()

    expect((await answer).location).toMatch(/^\/oidc\/auth\?/)
    expect((await findUser(issuer.scope, ada.email))?.profile.name).toBe('Ada Lovelace')
  })

  test('a session that ended while its new password was hashed stays ended and changes nothing', async () => {
    const meanwhile = createMeanwhile()
    const passwords = {
      ...instantPasswords,
      async hash(...given: Parameters<typeof instantPasswords.hash>) {
        await meanwhile.happens()
        return instantPasswords.hash(...given)
      },
    }
    const { issuer, user } = await startWithFactors({ store, passwords })
    await using _ = issuer
    const { browser, page } = await open(issuer, '/account/password')

    meanwhile.will = () => reset(issuer, user)
    const answer = await browser.submit(page, { current: ada.password, password: CHOSEN })

    expect(answer.html).toContain('autocomplete="current-password"')
    expect((await browser.get('/account')).html).toContain('autocomplete="current-password"')
    expect(await isPasswordOf(issuer, user, RESET)).toBe(true)
  })

  test('a session that ended while a way to log in was added, adds none', async () => {
    const meanwhile = createMeanwhile()
    const wrap = (protocol: ProtocolStore): ProtocolStore => ({
      ...protocol,
      async consume(...given) {
        await meanwhile.happens()
        return protocol.consume(...given)
      },
    })
    const { issuer, user } = await startWithFactors({ store, wrap })
    await using _ = issuer
    const { browser } = await open(issuer, '/account/security')
    const page = await browser.get('/account/security/add?kind=totp_email')
    const sent = await browser.submit(page, { step: 'send' })
    const [mail] = await issuer.mails()
    const code = /\b\d{8}\b/.exec(mail?.text ?? '')?.[0] ?? ''
    meanwhile.will = () => reset(issuer, user)

    const answer = await browser.submit(sent, { code })
    expect(meanwhile.will).toBeUndefined()

    expect(answer.html).toContain('autocomplete="current-password"')
    const listed = await issuer.domain.store.credentials.list(issuer.tenant.id, user.id, {
      after: undefined,
      limit: 10,
    })
    expect(listed?.items.map(({ id }) => id)).toEqual(['password'])
  })

  test('a login whose sessions ended while it finished connects no account at a provider', async () => {
    const meanwhile = createMeanwhile()
    await using world = await startWithProvider({
      store,
      wrapData: (data) => beforeUpdates(data, meanwhile.happens),
    })
    const { issuer, provider } = world
    const user = await issuer.addUser(ada)
    provider.user = { sub: 'mallory', email: ada.email, email_verified: true }
    const { browser, form } = await world.open()
    const asked = await world.logInBy(browser, form)
    meanwhile.will = () => reset(issuer, user)

    await browser.submit(asked, ada)

    expect(meanwhile.will).toBeUndefined()
    const listed = await issuer.domain.store.credentials.list(issuer.tenant.id, user.id, {
      after: undefined,
      limit: 10,
    })
    expect(listed?.items.map(({ id }) => id)).toEqual(['password'])
    expect((await browser.get('/account')).html).toContain('autocomplete="current-password"')
  })

  test('ending all other sessions does not bring back one that ended meanwhile', async () => {
    const { issuer, user } = await startWithFactors({ store })
    await using _ = issuer
    const { scope, domain } = issuer
    const ahead = { ...scope, context: { ...domain, clock: { now: () => Date.now() + 60_000 } } }
    await endAllSessions(ahead, user.id)
    const later = (await findUser(scope, ada.email))?.sessionsValidAfter ?? 0
    await endAllSessions(scope, user.id)
    expect((await findUser(scope, ada.email))?.sessionsValidAfter).toBe(later)
  })

  test('a session that changes the password twice stays, although the audit log is read in between', async () => {
    const meanwhile = createMeanwhile()
    const { issuer, user } = await startWithFactors({
      store,
      wrapData: (data) => beforeUpdates(data, meanwhile.happens),
    })
    await using _ = issuer
    const { browser, page } = await open(issuer, '/account/password')
    await browser.submit(page, { current: ada.password, password: CHOSEN })
    const form = await browser.get('/account/password')
    // The session has noted the second end by then, which is not written yet.
    meanwhile.will = async () => {
      await changeProfile(issuer.scope, user.id, { name: 'Ada', given_name: '', family_name: '' })
      await issuer.idle()
    }

    await browser.submit(form, { current: CHOSEN, password: RESET })

    expect(meanwhile.will).toBeUndefined()
    expect(await isPasswordOf(issuer, user, RESET)).toBe(true)
    expect((await browser.get('/account')).html).not.toContain('autocomplete="current-password"')
  })

  test('a session that has ended ends no others, changes no password, and adds and removes nothing', async () => {
    const { issuer, user } = await startWithFactors({ store })
    await using _ = issuer
    const { scope } = issuer
    const { seed } = await addApp(issuer, user)
    const ended = { login: { loggedInAt: Date.now() / 1000 - 1 }, at: Date.now() * 1000 + 60e6 }
    await endAllSessions(scope, user.id)
    const current = await findUser(scope, ada.email)
    const known = (await findPassword(scope, user.id))?.password
    const next = await hashPassword(scope, CHOSEN, 'login')
    const tenant = { settings: issuer.tenant.settings, offered: [] }
    const app = { userId: user.id, id: 'totp_app' }

    expect(await endAllSessions(scope, user.id, ended)).toBe(false)
    expect(await changePassword(scope, user.id, { known, next }, ended)).toBe(false)
    expect(await removeOwnCredential(scope, tenant, app, ended)).toBe('gone')
    expect(await renewRecoveryCodes(scope, user, 1, ended.login)).toBeUndefined()
    const mail = mailCredential(scope, user)
    expect(await addCredential(scope, mail, { login: ended.login })).toBe('refused')

    expect(await findUser(scope, ada.email)).toEqual(current)
    expect(await isPasswordOf(issuer, user, ada.password)).toBe(true)
    expect(await proveTotp(scope, user.id, codeOf(seed))).toBe(true)
  })

  test('a change replaces the password that the user has entered and no other one', async () => {
    const { issuer, user } = await startWithFactors({ store })
    await using _ = issuer
    const { scope } = issuer
    const known = (await findPassword(scope, user.id))?.password
    let at = Date.now() * 1000 + 60e6
    const login = { loggedInAt: at / 1e6 + 60 }
    const change = async (known: StoredPassword | undefined) => {
      const next = await hashPassword(scope, CHOSEN, 'login')
      return changePassword(scope, user.id, { known, next }, { login, at: ++at })
    }

    await reset(issuer, user)
    expect(await change(known)).toBe(false)
    expect(await change(undefined)).toBe(false)
    expect(await isPasswordOf(issuer, user, RESET)).toBe(true)

    const now = (await findPassword(scope, user.id))?.password
    await deleteCredential(scope, user.id, 'password')
    expect(await change(now)).toBe(false)
    expect(await findPassword(scope, user.id)).toBeUndefined()
    expect(await change(undefined)).toBe(true)
    expect(await isPasswordOf(issuer, user, CHOSEN)).toBe(true)
  })

  test('the page of sessions does not show the secrets of its form tokens', async () => {
    const { issuer, user } = await startWithFactors({ store })
    await using _ = issuer
    await open(issuer, '/account')
    const { page } = await open(issuer, '/account/sessions')

    const found = await issuer.protocol.listByAccount(issuer.tenant.id, 'Session', user.id)
    expect(found.length).toBeGreaterThan(1)
    for (const { uid = '', key } of found) {
      expect(page.html).not.toContain(uid)
      expect(page.html).not.toContain(key)
    }
  })
})
