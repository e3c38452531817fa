import { describe, expect, test } from 'vitest'
import { changePassword, endSessionsBefore, resetPassword } from '../../src/domain/accounts.ts'
import { nowMicros } from '../../src/domain/context.ts'
import { deleteCredential } from '../../src/domain/credentials.ts'
import { findPassword, hashPassword, verifyPassword } from '../../src/domain/passwords.ts'
import { findUser } from '../../src/domain/users.ts'
import type { ProtocolStore } from '../../src/store/protocol-store.ts'
import type { User } from '../../src/store/records.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { startWithFactors } from './support/factors.ts'
import { instantPasswords } from './support/instant-passwords.ts'
import { storeKinds, type TestIssuer } from './support/issuer.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const RESET = 'what the owner chose'
const CHOSEN = 'another fine long one'

async function open(issuer: TestIssuer, path: string): Promise<{ browser: Browser; page: Page }> {
  const browser = createBrowser(issuer)
  return { browser, page: await browser.submit(await browser.get(path), ada) }
}

/** The owner of the address sets another password by a mailed link, which ends all sessions. */
async function reset({ scope }: TestIssuer, user: User, password = RESET): Promise<void> {
  expect(await resetPassword(scope, user, await hashPassword(scope, password, 'login'))).toBe(true)
}

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
    await endSessionsBefore(issuer.scope, user.id, nowMicros(issuer.domain.clock))
    await writer.write(Buffer.from('y'))
    await writer.close()

    expect((await answer).location).toMatch(/^\/oidc\/auth\?/)
    expect((await findUser(issuer.scope, ada.email))?.profile.name).toBe('Ada Lovelace')
  })

  test('a session that ended while its new password was hashed stays ended and changes nothing', async () => {
    let meanwhile: (() => Promise<void>) | undefined
    const passwords = {
      ...instantPasswords,
      async hash(...given: Parameters<typeof instantPasswords.hash>) {
        const happens = meanwhile
        meanwhile = undefined
        await happens?.()
        return instantPasswords.hash(...given)
      },
    }
    const { issuer, user } = await startWithFactors({ store, passwords })
    await using _ = issuer
    const { browser, page } = await open(issuer, '/account/password')

    meanwhile = () => reset(issuer, user)
    const answer = await browser.submit(page, { current: ada.password, password: CHOSEN })

    expect(answer.html).toContain('autocomplete="current-password"')
    expect((await browser.get('/account')).html).toContain('autocomplete="current-password"')
    expect(await isPasswordOf(issuer, user, RESET)).toBe(true)
  })

  test('a session that ended while a way to log in was added, adds none', async () => {
    let meanwhile: (() => Promise<void>) | undefined
    const wrap = (protocol: ProtocolStore): ProtocolStore => ({
      ...protocol,
      async consume(...given) {
        const happens = meanwhile
        meanwhile = undefined
        await happens?.()
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
    meanwhile = () => reset(issuer, user)

    const answer = await browser.submit(sent, { code })
    expect(meanwhile).toBeUndefined()

    expect(answer.html).toContain('autocomplete="current-password"')
    const listed = await issuer.domain.store.credentials.list(issuer.tenant.id, user.id, {
      after: undefined,
      limit: 10,
    })
    expect(listed?.items.map(({ id }) => id)).toEqual(['password'])
  })

  test('ending all other sessions does not bring back one that ended meanwhile', async () => {
    const { issuer, user } = await startWithFactors({ store })
    await using _ = issuer
    const later = nowMicros(issuer.domain.clock) + 60 * 1e6
    await endSessionsBefore(issuer.scope, user.id, later)
    await endSessionsBefore(issuer.scope, user.id, later - 1)
    expect((await findUser(issuer.scope, ada.email))?.sessionsValidAfter).toBe(later)
  })

  test('a change replaces the password that the user has entered and no other one', async () => {
    const { issuer, user } = await startWithFactors({ store })
    await using _ = issuer
    const { scope } = issuer
    const known = (await findPassword(scope, user.id))?.password
    const next = async () => ({
      password: await hashPassword(scope, CHOSEN, 'login'),
      at: nowMicros(issuer.domain.clock),
    })

    await reset(issuer, user)
    expect(await changePassword(scope, user, known, await next())).toBe(false)
    expect(await changePassword(scope, user, undefined, await next())).toBe(false)
    expect(await isPasswordOf(issuer, user, RESET)).toBe(true)

    const now = (await findPassword(scope, user.id))?.password
    await deleteCredential(scope, user.id, 'password')
    expect(await changePassword(scope, user, now, await next())).toBe(false)
    expect(await findPassword(scope, user.id)).toBeUndefined()
    expect(await changePassword(scope, user, undefined, await next())).toBe(true)
    expect(await isPasswordOf(issuer, user, CHOSEN)).toBe(true)
  })

  test('the page of sessions does not show what the tokens of their forms are made from', async () => {
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
