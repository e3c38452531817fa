import { describe, expect, test } from 'vitest'
import { findUser } from '../../src/domain/users/users.ts'
import { createBrowser, type Page } from './support/browser.ts'
import { logIn } from './support/client.ts'
import { hasCode, mailedCode } from './support/factors.ts'
import { allStoreKinds, type TestIssuer } from './support/issuer.ts'
import { startWithProvider } from './support/social.ts'
import { ada } from './support/token-endpoint.ts'

const ofTheStranger = 'of the stranger who came first'
const ROUNDS = 12
const page = { after: undefined, limit: 100 }

/** The user with this address, and the kinds of the user's credentials. */
async function waysOf({ scope, domain, tenant }: TestIssuer, email: string) {
  const user = await findUser(scope, email)
  const listed = user && (await domain.store.credentials.list(tenant.id, user.id, page))
  return { user, kinds: (listed?.items ?? []).map(({ kind }) => kind).sort() }
}

describe.each(allStoreKinds)('on %s', (store) => {
  test('a login at a provider and the confirming link at once leave nothing of the stranger who signed up, and a way in for the owner', async () => {
    await using world = await startWithProvider({ store, settings: { allowUnverified: true } })
    const { issuer, provider, app } = world
    for (let round = 0; round < ROUNDS; round++) {
      const email = `owner-${round}@example.com`
      const mallory = createBrowser(issuer)
      const begun = await app.begin()
      const form = await mallory.get((await mallory.get(begun.url)).url.replace('?', '/signup?'))
      await mallory.submit(form, { email, password: ofTheStranger })
      const [mail] = await issuer.mails()
      const owner = createBrowser(issuer)
      const link = await owner.get(mail?.link ?? '')
      provider.user = { sub: `sub-${round}`, email }
      const there = await world.open()
      const asked = await world.logInBy(there.browser, there.form)
      const sent = await there.browser.submit(asked, { step: 'send' })
      const code = await mailedCode(issuer)

      const [byProvider, byLink] = (await Promise.all([
        there.browser.submit(sent, { code }),
        owner.submit(link, { password: ada.password }),
      ])) as [Page, Page]

      expect([byProvider.status, byLink.status].every((status) => status < 500)).toBe(true)
      const { user, kinds } = await waysOf(issuer, email)
      expect(user?.verifiedAt).toBeDefined()
      expect(kinds.length).toBeGreaterThan(0)
      const isIn = async (password: string) =>
        hasCode((await logIn(issuer, app, { email, password })).callback)
      expect(await isIn(ofTheStranger)).toBe(false)
      const again = await world.open()
      const isInByProvider = hasCode(await world.logInBy(again.browser, again.form))
      expect(isInByProvider || (await isIn(ada.password))).toBe(true)
      expect(hasCode(await mallory.get((await app.begin({ prompt: 'none' })).url))).toBe(false)
    }
    expect(issuer.problems).toEqual([])
  })
})
