import { expect, test } from 'vitest'
import { createBrowser, type Page } from './support/browser.ts'
import { addApp, codeOf, hasCode, mailedCode, startWithFactors } from './support/factors.ts'
import { storeKinds } from './support/issuer.ts'
import { ada } from './support/token-endpoint.ts'

const grace = { email: 'grace@example.com', password: ada.password }

/** The way back that the page offers to somebody else, next to the address. */
function otherPath({ html }: Page, email: string): string {
  const row = new RegExp(`<span>${email}</span> <a href="([^"]+)">Not you\\?</a>`)
  const [, href] = row.exec(html) ?? []
  if (!href) throw new Error(`No way back on: ${html}`)
  return href.replaceAll('&amp;', '&')
}

const typed = ({ html }: Page) => /name="email"[^>]* value="([^"]*)"/s.exec(html)?.[1]

test.each(storeKinds)(
  'on %s, a visitor at the second step can begin again with another address, and the proof of the first is discarded',
  async (store) => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    await issuer.addUser(grace)
    for (const parameters of [{}, { login_hint: ada.email }, { prompt: 'select_account' }]) {
      const browser = createBrowser(issuer)
      const begun = await app.begin(parameters)
      const factor = await browser.submit(await browser.get(begun.url), ada)

      const login = await browser.get(otherPath(factor, ada.email))

      expect(typed(login)).toBe('')
      const late = await browser.submit(factor, { code: codeOf(seed) })
      expect(hasCode(late)).toBe(false)
      expect(late.html).toContain('name="password"')
      const callback = await browser.submit(login, grace)
      const claims = (await app.redeem(begun, callback)).claims()
      expect(claims?.email).toBe(grace.email)
    }
  },
)

test('a visitor who has asked for a code by mail begins with another address', async () => {
  const { issuer, app } = await startWithFactors({ settings: { allowPasswords: false } })
  await using _ = issuer
  await issuer.addUser(grace)
  const browser = createBrowser(issuer)
  const begun = await app.begin({ login_hint: ada.email })
  const code = await browser.submit(await browser.get(begun.url), { email: ada.email })

  const login = await browser.get(otherPath(code, ada.email))

  expect(typed(login)).toBe('')
  const asked = await browser.submit(login, { email: grace.email })
  const callback = await browser.submit(asked, { code: await mailedCode(issuer) })
  expect((await app.redeem(begun, callback)).claims()?.email).toBe(grace.email)
})

test('a user who is logged in and lacks a step can begin with another address, too', async () => {
  const { issuer, user, app } = await startWithFactors()
  await using _ = issuer
  await issuer.addUser(grace)
  const browser = createBrowser(issuer)
  await browser.submit(await browser.get((await app.begin()).url), ada)
  await addApp(issuer, user)
  const begun = await app.begin({ acr_values: 'https://refeds.org/profile/mfa' })
  const factor = await browser.get(begun.url)

  const login = await browser.get(otherPath(factor, ada.email))

  expect(typed(login)).toBe('')
})
