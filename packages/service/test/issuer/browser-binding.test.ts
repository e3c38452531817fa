import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { createClient } from './support/client.ts'
import { startIssuer, storeKinds } from './support/issuer.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const mallory = { email: 'mallory@example.com', password: 'battery staple horse' }

/** The path that ends the login under way in a browser. */
function resumePath(browser: ReturnType<typeof createBrowser>): string {
  const cookie = browser.cookies().find(({ name }) => name.endsWith('-resume'))
  return cookie?.path ?? ''
}

describe.each(storeKinds)('on %s', (store) => {
  test('a login page and its form work only in the browser in which the login began', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const attacker = createBrowser(issuer)
    const victim = createBrowser(issuer)
    const begun = await (await createClient(issuer)).begin()
    const form = await attacker.get(begun.url)
    victim.plant(attacker)

    const page = await victim.get(form.url)
    expect(page.status).toBe(400)
    expect(page.html).toContain('This page has expired')
    const answer = await victim.submitOnly(form, ada)
    expect(answer.status).toBe(400)
    expect(answer.html).toContain('This page has expired')
    expect(await issuer.actions()).not.toContain('login.succeeded')
    expect((await attacker.get(resumePath(attacker))).location).toBeUndefined()
  })

  test('a form is not taken from a browser that has begun another login', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const attacker = createBrowser(issuer)
    const victim = createBrowser(issuer)
    const form = await attacker.get((await app.begin()).url)
    await victim.get((await app.begin()).url)
    victim.plant(attacker)

    const answer = await victim.submitOnly(form, ada)
    expect(new URL(answer.location ?? '', issuer.url).pathname).toBe('/oidc/auth')
    expect(await issuer.actions()).not.toContain('login.succeeded')
  })

  test('the parameters of a pushed request stay out of the URL when its login starts again', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const [tab, browser] = [createBrowser(issuer), createBrowser(issuer)]
    const begun = await app.begin()
    const parameters = Object.fromEntries(new URL(begun.url).searchParams)
    const pushed = await client.buildAuthorizationUrlWithPAR(app.config, parameters)
    const form = await tab.get(pushed.href)
    await browser.get((await app.begin()).url)
    browser.plant(tab)

    const { location = '' } = await browser.peek(form.url)
    const { pathname, searchParams } = new URL(location, issuer.url)
    expect([pathname, ...searchParams.keys()]).toEqual(['/oidc/auth', 'client_id', 'request_uri'])
    const callback = await browser.submit(await browser.get(location), ada)
    expect((await app.redeem(begun, callback)).claims()?.email).toBe(ada.email)
  })

  test('a login ends in the browser in which it began', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(mallory)
    const attacker = createBrowser(issuer)
    const victim = createBrowser(issuer)
    const begun = await (await createClient(issuer)).begin()
    await attacker.submitOnly(await attacker.get(begun.url), mallory)
    const path = resumePath(attacker)
    victim.plant(attacker)

    const page = await victim.get(path)
    expect(page.location).toBeUndefined()
    expect(page.html).toContain('This page has expired')
    expect((await attacker.get(path)).location).toContain('code=')
  })

  test('a sign-up goes on, after its link was followed, in the browser in which it began', async () => {
    await using issuer = await startIssuer({ store })
    const attacker = createBrowser(issuer)
    const victim = createBrowser(issuer)
    const form = await attacker.get((await (await createClient(issuer)).begin()).url)
    const signup = await attacker.get(form.url.replace('?', '/signup?'))
    await attacker.submit(signup, { name: '', ...ada })
    victim.plant(attacker)

    const link = await issuer.lastLink()
    const { password } = ada
    const page = await victim.submit(await victim.get(link), { password })
    expect(page.location).toBeUndefined()
    expect(page.html).toContain('Your address is confirmed')
    expect(await issuer.actions()).not.toContain('login.succeeded')
  })

  test('a reset leads back into the login only in the browser in which it began', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const attacker = createBrowser(issuer)
    const victim = createBrowser(issuer)
    const form = await attacker.get((await (await createClient(issuer)).begin()).url)
    const request = await attacker.get(form.url.replace('?', '/reset?'))
    await attacker.submit(request, { email: ada.email })
    victim.plant(attacker)

    const link = await issuer.lastLink()
    const password = 'another horse battery'
    const page = await victim.submit(await victim.get(link), { password })
    expect(page.html).not.toContain('name="password"')
  })

  test('two tabs that are opened at once in a new browser both reach the application', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const browser = createBrowser(issuer)
    const begun = [await app.begin(), await app.begin()]
    const sentTo = await Promise.all(begun.map(({ url }) => browser.peek(url)))
    for (const [index, { location = '' }] of sentTo.entries()) {
      const page = await browser.get(location)
      // On a slow machine the second tab goes on by itself: the browser has logged in since it was opened.
      const isAsked = page.html.includes('name="password"')
      const callback = isAsked ? await browser.submit(page, ada) : page
      const tokens = await app.redeem(begun[index] as (typeof begun)[0], callback)
      expect(tokens.claims()?.email).toBe(ada.email)
    }
  })
})
