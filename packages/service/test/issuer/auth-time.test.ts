import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { addApp, codeOf, mailedCode, seedOn, startWithFactors } from './support/factors.ts'
import { allStoreKinds, movesTheClock } from './support/issuer.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

type World = Awaited<ReturnType<typeof startWithFactors>> & { browser: Browser }

/** Every act of the account page that a session outlives; each is done four minutes after the login. */
const acts: Record<string, (world: World) => Promise<Page>> = {
  'ends all other sessions': async ({ browser, issuer }) => {
    const other = createBrowser(issuer)
    await other.submit(await other.get('/account'), ada)
    return browser.submit(await browser.get('/account/sessions'), { step: 'others' })
  },
  'changes the password': async ({ browser }) =>
    browser.submit(await browser.get('/account/password'), {
      current: ada.password,
      password: 'another fine long one',
    }),
  'changes the names': async ({ browser }) =>
    browser.submit(await browser.get('/account/profile'), { name: 'Ada King' }),
  'changes the address': async ({ browser, issuer }) => {
    const page = await browser.get('/account/email')
    const sent = await browser.submit(page, { email: 'countess@example.com', step: 'send' })
    return browser.submit(sent, { code: await mailedCode(issuer) })
  },
  'adds an authenticator app': async ({ browser }) => {
    const page = await browser.get('/account/security/add?kind=totp_app')
    return browser.submit(page, { code: codeOf(seedOn(page)) })
  },
  'adds codes by mail': async ({ browser, issuer }) => {
    const page = await browser.get('/account/security/add?kind=totp_email')
    const sent = await browser.submit(page, { step: 'send' })
    return browser.submit(sent, { code: await mailedCode(issuer) })
  },
}

/** Those of a user who has a second step. */
const actsOfApps: typeof acts = {
  'makes new recovery codes': async ({ browser }) =>
    browser.submit(await browser.get('/account/security'), { step: 'renew' }),
  'removes the authenticator app': async ({ browser }) =>
    browser.submit(await browser.get('/account/security'), { remove: 'totp_app' }),
}

describe.each(allStoreKinds)('on %s', (store) => {
  for (const [name, act] of Object.entries({ ...acts, ...actsOfApps })) {
    test(`auth_time of a user who ${name} is the time of the last proof, in every token and for every page`, async () => {
      const { issuer, user, app } = await startWithFactors({ store })
      await using _ = issuer
      const hasApp = Object.hasOwn(actsOfApps, name)
      const { seed = '' } = hasApp ? await addApp(issuer, user) : {}
      moveTime(60)
      const browser = createBrowser(issuer)
      const logIn = async () => {
        const page = await browser.submit(await browser.get('/account/sessions'), ada)
        return hasApp ? browser.submit(page, { code: codeOf(seed) }) : page
      }
      await logIn()
      const scope = 'openid offline_access'
      const claimsNow = async () => {
        const begun = await app.begin({ scope })
        const tokens = await app.redeem(begun, await browser.get(begun.url))
        return { claims: tokens.claims(), refreshToken: tokens.refresh_token ?? '' }
      }
      const before = await claimsNow()
      moveTime(240)

      expect((await act({ issuer, user, app, browser })).status).toBe(200)

      const after = await claimsNow()
      expect(after.claims?.auth_time).toBe(before.claims?.auth_time)
      expect(after.claims?.amr).toEqual(before.claims?.amr)
      const refreshed = await app.refresh(after.refreshToken)
      expect(refreshed.claims()?.auth_time).toBe(before.claims?.auth_time)
      expect((await app.refresh(refreshed.refresh_token ?? '')).claims()?.sub).toBe(user.id)
      moveTime(62)
      expect((await browser.get('/account')).html).toContain('/account/profile')
      expect((await browser.get('/account/sessions')).html).toContain('name="password"')
      const silent = await app.begin({ prompt: 'none', max_age: '300' })
      expect((await browser.get(silent.url)).location).toContain('error=login_required')
    })
  }

  test('adding a factor for an application does not make an old login recent, and needs a recent login', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const browser = createBrowser(issuer)
    const first = await app.begin()
    const done = await browser.submit(await browser.get(first.url), ada)
    const since = (await app.redeem(first, done)).claims()?.auth_time
    moveTime(120)
    const acr_values = 'https://refeds.org/profile/mfa'

    const begun = await app.begin({ acr_values })
    const offered = await browser.get(begun.url)
    const codes = await browser.submit(offered, { code: codeOf(seedOn(offered)) })
    const claims = (await app.redeem(begun, await browser.submit(codes))).claims()
    expect(claims).toMatchObject({ sub: user.id, auth_time: since, acr: acr_values })

    const other = createBrowser(issuer)
    const bob = { email: 'bob@example.com', password: ada.password }
    await issuer.addUser(bob)
    const plain = await app.begin()
    await other.submit(await other.get(plain.url), bob)
    moveTime(301)
    const asked = await other.get((await app.begin({ acr_values })).url)
    expect(asked.html).toContain('autocomplete="current-password"')
  })
})
