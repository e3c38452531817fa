import { describe, expect, test } from 'vitest'
import { findUser } from '../../src/domain/users/users.ts'
import { createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { startIssuer, storeKinds, type TestIssuer } from './support/issuer.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const ofTheThief = { ...ada, password: 'of the thief' }

/** Signs up in a browser of its own, up to the page that says to read the message. */
async function signUp(issuer: TestIssuer, entered: typeof ada & { name?: string }) {
  const app = await createClient(issuer)
  const browser = createBrowser(issuer)
  const begun = await app.begin()
  const login = await browser.get(begun.url)
  const form = await browser.get(login.url.replace('?', '/signup?'))
  return { app, browser, begun, sent: await browser.submit(form, entered) }
}

/** A page without what differs between two logins and two addresses. */
function neutral(html: string): string {
  return html
    .replaceAll(/name="csrf" value="[^"]*"/g, '')
    .replaceAll(/(ada|eve)@example.com|\/login\/[^/?]+/g, '')
}

describe.each(storeKinds)('on %s', (store) => {
  test.each([false, true])(
    'the owner of an address who follows a link of a stranger’s sign-up chooses the password (allow_unverified %s)',
    async (allowUnverified) => {
      await using issuer = await startIssuer({ store, settings: { allowUnverified } })
      const thief = await signUp(issuer, ofTheThief)
      const owner = createBrowser(issuer)
      const page = await owner.get(await issuer.lastLink())
      expect(page.html).toContain('name="password"')
      expect((await owner.submit(page, { password: 'short' })).html).toContain('fewer than 8')
      const done = await owner.submit(page, { password: ada.password })
      expect(done.html).toContain('Your address is confirmed')

      const waiting = await thief.browser.submit(thief.sent, { step: 'continue' })
      expect(waiting.location).toBeUndefined()
      expect((await logIn(issuer, thief.app, ofTheThief)).callback.status).toBe(422)
      const login = await logIn(issuer, thief.app, ada)
      expect((await thief.app.redeem(login.begun, login.callback)).claims()).toMatchObject({
        email_verified: true,
      })
      expect((await owner.submit(page, { password: ada.password })).status).toBe(410)
    },
  )

  test('text that a stranger entered at the sign-up is not in the account of the address’s owner', async () => {
    await using issuer = await startIssuer({ store })
    await signUp(issuer, { ...ofTheThief, name: 'Mallory' })
    const owner = createBrowser(issuer)
    await owner.submit(await owner.get(await issuer.lastLink()), { password: ada.password })
    expect((await findUser(issuer.scope, ada.email))?.profile).toEqual({})
  })

  test.each([false, true])(
    'in another browser a sign-up goes on with its own password (allow_unverified %s)',
    async (allowUnverified) => {
      await using issuer = await startIssuer({ store, settings: { allowUnverified } })
      const { app, browser, begun, sent } = await signUp(issuer, { ...ada, name: 'Ada' })
      const phone = createBrowser(issuer)
      await phone.submit(await phone.get(await issuer.lastLink()), { password: ada.password })
      const callback = await browser.submit(sent, { step: 'continue' })
      expect((await app.redeem(begun, callback)).claims()).toMatchObject({
        email: ada.email,
        email_verified: true,
        name: 'Ada',
      })
    },
  )

  test('a message for a login that has to prove the address asks for the password in another browser as well', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser({ ...ofTheThief, emailVerified: false })
    const app = await createClient(issuer)
    const thief = await logIn(issuer, app, ofTheThief)
    const owner = createBrowser(issuer)
    const page = await owner.get(await issuer.lastLink())
    await owner.submit(page, { password: ada.password })
    const answer = await thief.browser.submit(thief.callback, { step: 'continue' })
    expect(answer.location).toBeUndefined()
    expect((await logIn(issuer, app, ada)).callback.location).toContain('code=')
  })

  test('until its link is followed, an address that signed up answers as an unknown one', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const known = await signUp(issuer, { ...ada, password: 'not the real one' })
    const eve = { email: 'eve@example.com', password: 'not the real one' }
    const free = await signUp(issuer, eve)
    expect(neutral(free.sent.html)).toBe(neutral(known.sent.html))
    expect(await findUser(issuer.scope, eve.email)).toBeUndefined()

    const { callback: ofKnown } = await logIn(issuer, known.app, { ...eve, email: ada.email })
    const { callback: ofFree } = await logIn(issuer, free.app, eve)
    expect(ofFree.status).toBe(ofKnown.status)
    expect(neutral(ofFree.html)).toBe(neutral(ofKnown.html))

    const again = await signUp(issuer, eve)
    expect(neutral(again.sent.html)).toBe(neutral(known.sent.html))
    const count = (await issuer.mails()).length
    const browser = createBrowser(issuer)
    await browser.submit(await browser.get('/reset'), { email: eve.email })
    expect(await issuer.mails()).toHaveLength(count)
  })

  test('a message that is sent again leads to the account as the first one does', async () => {
    await using issuer = await startIssuer({ store })
    const { app, browser, begun, sent } = await signUp(issuer, ada)
    const first = await issuer.lastLink()
    await browser.submit(sent, { step: 'resend' })
    expect(await issuer.lastLink()).not.toBe(first)
    expect((await browser.get(first)).status).toBe(410)
    const callback = await browser.submit(await browser.get(await issuer.lastLink()))
    expect((await app.redeem(begun, callback)).claims()).toMatchObject({ email: ada.email })
  })

  test('of two sign-ups with the same address, the first whose link is opened gets the account', async () => {
    await using issuer = await startIssuer({ store })
    const thief = await signUp(issuer, ofTheThief)
    const linkOfThief = await issuer.lastLink()
    const owner = await signUp(issuer, ada)
    const callback = await owner.browser.submit(await owner.browser.get(await issuer.lastLink()))
    expect((await owner.app.redeem(owner.begun, callback)).claims()?.email).toBe(ada.email)
    const tooLate = await owner.browser.get(linkOfThief)
    const { password } = ofTheThief
    expect((await owner.browser.submit(tooLate, { password })).status).toBe(410)
    const waiting = await thief.browser.submit(thief.sent, { step: 'continue' })
    expect(waiting.location).toBeUndefined()
    expect((await logIn(issuer, owner.app, ada)).callback.location).toContain('code=')
  })

  test('a sign-up is over when the tenant closes sign-ups before its link is followed', async () => {
    await using issuer = await startIssuer({ store })
    const { browser } = await signUp(issuer, ada)
    const page = await browser.get(await issuer.lastLink())
    await issuer.changeSettings({ allowSignups: false })
    expect((await browser.submit(page)).status).toBe(410)
    expect(await findUser(issuer.scope, ada.email)).toBeUndefined()
  })
})
