import { afterEach, describe, expect, test, vi } from 'vitest'
import type { User } from '../../src/store/records.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { logIn } from './support/client.ts'
import { addApp, codeOf, hasCode, MFA, startWithFactors } from './support/factors.ts'
import { allStoreKinds, movesTheClock, type TestIssuer } from './support/issuer.ts'
import { answer, createVirtualKey, giveKey } from './support/keys.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

type World = Awaited<ReturnType<typeof startWithFactors>> & {
  browser: Browser
  /** Proves the second step on its page. */
  prove(page: Page): Promise<Page>
}

/** What a user can have for a second step; each is given to the user, and answers how it is proven. */
const factors = {
  'an authenticator app': async (issuer: TestIssuer, user: User, browser: Browser) => {
    const { seed } = await addApp(issuer, user)
    return (page: Page) => {
      // A code is good once.
      moveTime(30)
      return browser.submit(page, { code: codeOf(seed) })
    }
  },
  'a security key': async (issuer: TestIssuer, user: User, browser: Browser) => {
    const key = createVirtualKey({ verifiesUser: false })
    await giveKey(issuer, user, key, 'second')
    return (page: Page) => answer(issuer, browser, page, key)
  },
}

afterEach(() => {
  vi.useRealTimers()
})

/** Logs in with both steps, and lets the time of the session pass that an application accepts. */
async function withSession({ issuer, app, prove, browser }: World): Promise<void> {
  const { callback } = await logIn(issuer, app, ada, browser)
  expect(hasCode(await prove(callback))).toBe(true)
  moveTime(3_600)
}

async function begin({ app, browser }: World, parameters: Record<string, string> = {}) {
  return browser.get((await app.begin(parameters)).url)
}

/** Sets another password by a mailed link that is followed in the browser of the login. */
async function reset(world: World): Promise<Page> {
  const { issuer, browser } = world
  const login = await begin(world)
  const request = await browser.get(login.url.replace('?', '/reset?'))
  await browser.submit(request, { email: ada.email })
  const form = await browser.get(await issuer.lastLink())
  return browser.submit(form, { password: 'another fine one' })
}

/** Every way on which a password, or what stands for it, is proven. */
const ways: Record<string, (world: World) => Promise<Page>> = {
  'the password': async (world) => world.browser.submit(await begin(world), ada),
  'the password on the sign-up form of an application': async (world) => {
    const signup = await begin(world, { prompt: 'create' })
    return world.browser.submit(await world.browser.get(signup.url.replace('/signup', '')), ada)
  },
  'the password, which is asked for again': async (world) => {
    await withSession(world)
    return world.browser.submit(await begin(world, { prompt: 'login' }), ada)
  },
  'the password, which is asked for after a while': async (world) => {
    await withSession(world)
    return world.browser.submit(await begin(world, { max_age: '60' }), ada)
  },
  'the password of an account that is chosen': async (world) => {
    await withSession(world)
    const choice = await begin(world, { prompt: 'select_account' })
    const other = await world.browser.get(choice.url.replace('?', '/other?'))
    return world.browser.submit(other, ada)
  },
  'the password after a reset': async (world) =>
    world.browser.submit(await reset(world), { ...ada, password: 'another fine one' }),
  'a password on a known device': async (world) => {
    await withSession(world)
    await world.issuer.changeUser(world.user, { disabled: true })
    await world.issuer.changeUser(world.user, { disabled: false })
    // The session has ended everywhere: a form that was opened before would have expired.
    await world.issuer.idle()
    return world.browser.submit(await begin(world), ada)
  },
  'the password where two factors are asked for': async (world) =>
    world.browser.submit(await begin(world, { acr_values: MFA }), ada),
}

describe.each(allStoreKinds)('on %s', (store) => {
  test.each(
    Object.keys(ways).flatMap((way) =>
      Object.keys(factors).map((factor) => [way, factor] as const),
    ),
  )('%s leads to the second step of a user with %s', async (way, factor) => {
    const started = await startWithFactors({ store, settings: { allowHardware: true } })
    await using issuer = started.issuer
    const browser = createBrowser(issuer)
    const add = factors[factor as keyof typeof factors]
    const world = { ...started, browser, prove: await add(issuer, started.user, browser) }

    const page = await (ways[way] as (world: World) => Promise<Page>)(world)

    expect(page.html).toMatch(/name="kind" value="(totp_app|hardware)"/)
    const silent = await begin(world, { prompt: 'none', max_age: '60' })
    expect(hasCode(silent)).toBe(false)
    expect(hasCode(await world.prove(page))).toBe(true)
  })

  test('a sign-up that is finished by its link leads to the second step of a user who has added one since', async () => {
    const { issuer, app } = await startWithFactors({ store, settings: { allowUnverified: true } })
    await using _ = issuer
    const eve = { ...ada, email: 'eve@example.com' }
    const browser = createBrowser(issuer)
    const login = await browser.get((await app.begin()).url)
    const sent = await browser.submit(await browser.get(login.url.replace('?', '/signup?')), eve)
    const phone = createBrowser(issuer)
    const link = await phone.get(await issuer.lastLink())
    await phone.submit(link, { password: eve.password })
    const [user] =
      (
        await issuer.domain.store.users.list(issuer.tenant.id, {
          after: undefined,
          limit: 10,
        })
      )?.items.filter(({ email }) => email === eve.email) ?? []
    if (!user) throw new Error('The sign-up made no user.')
    const { seed } = await addApp(issuer, user)

    const page = await browser.submit(sent, { step: 'continue' })

    expect(page.html).toContain('autocomplete="one-time-code"')
    expect(hasCode(await browser.submit(page, { code: codeOf(seed) }))).toBe(true)
  })

  test('a refresh token of a login by the password alone ends when a second step is added', async () => {
    const { issuer, app } = await startWithFactors({ store })
    await using _ = issuer
    const { begun, browser, callback } = await logIn(issuer, app, ada, undefined, {
      scope: 'openid offline_access',
      prompt: 'consent',
    })
    const { refresh_token } = await app.redeem(begun, callback)
    const form = await browser.get('/account/security/add?kind=totp_app')
    const [, seed = ''] = /<code>([A-Z2-7 ]{32,})<\/code>/.exec(form.html) ?? []
    moveTime(1)
    await browser.submit(form, { code: codeOf(seed) })
    await issuer.idle()

    await expect(app.refresh(refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  test('a used refresh token from before a second step was added does not end the logins after it', async () => {
    const { issuer, app } = await startWithFactors({ store })
    await using _ = issuer
    const offline = { scope: 'openid offline_access', prompt: 'consent' }
    const { begun, browser, callback } = await logIn(issuer, app, ada, undefined, offline)
    const used = (await app.redeem(begun, callback)).refresh_token ?? ''
    await app.refresh(used)
    const form = await browser.get('/account/security/add?kind=totp_app')
    const [, seed = ''] = /<code>([A-Z2-7 ]{32,})<\/code>/.exec(form.html) ?? []
    moveTime(1)
    await browser.submit(form, { code: codeOf(seed) })
    await issuer.idle()
    const again = await app.begin(offline)
    const { refresh_token } = await app.redeem(again, await browser.get(again.url))

    moveTime(120)
    await expect(app.refresh(used)).rejects.toMatchObject({ error: 'invalid_grant' })
    expect(await app.refresh(refresh_token ?? '')).toHaveProperty('access_token')
  })
})
