import { describe, expect, test } from 'vitest'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { startIssuer, storeKinds, type TestIssuer } from './support/issuer.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const bob = { email: 'bob@example.com', password: 'a different one' }

/** Fills in the sign-up form and follows the mailed link in the same browser. */
async function signUp(issuer: TestIssuer, browser: Browser, form: Page): Promise<Page> {
  await browser.submit(form, { name: 'Bob', ...bob })
  const confirm = await browser.get(await issuer.lastLink())
  return browser.submit(confirm)
}

/** The page behind the link whose path ends so. */
function followLink(browser: Browser, page: Page, end: string): Promise<Page> {
  const [, href = ''] = new RegExp(`href="([^"?]*${end}\\?[^"]*)"`).exec(page.html) ?? []
  return browser.get(new URL(href.replaceAll('&amp;', '&'), page.url).href)
}

describe.each(storeKinds)('on %s', (store) => {
  test.each([{ prompt: 'create' }, { screen_hint: 'signup' }])(
    'a request with %o opens the sign-up form, and the new user is logged in',
    async (parameters: Record<string, string>) => {
      await using issuer = await startIssuer({ store, settings: { developerMode: true } })
      const app = await createClient(issuer)
      const browser = createBrowser(issuer)
      const begun = await app.begin({ ...parameters, login_hint: bob.email })
      const form = await browser.get(begun.url)
      expect(form.status).toBe(200)
      expect(form.html).toContain('autocomplete="new-password"')
      expect(form.html).toContain(`value="${bob.email}"`)

      const callback = await signUp(issuer, browser, form)
      expect((await app.redeem(begun, callback)).claims()?.email).toBe(bob.email)
    },
  )

  test('a visitor who has an account goes from the sign-up form of prompt=create to the login form', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const browser = createBrowser(issuer)
    const begun = await app.begin({ prompt: 'create' })
    const login = await followLink(browser, await browser.get(begun.url), '')
    expect(login.html).toContain('autocomplete="current-password"')
    const callback = await browser.submit(login, ada)
    expect((await app.redeem(begun, callback)).claims()?.email).toBe(ada.email)
  })

  test('prompt=create opens the sign-up form although a user is logged in, and the new user takes over', async () => {
    await using issuer = await startIssuer({ store, settings: { developerMode: true } })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const { browser } = await logIn(issuer, app, ada)
    const begun = await app.begin({ prompt: 'create' })
    const form = await browser.get(begun.url)
    expect(form.html).toContain('autocomplete="new-password"')
    expect(form.html).not.toContain(ada.email)
    const callback = await signUp(issuer, browser, form)
    expect((await app.redeem(begun, callback)).claims()?.email).toBe(bob.email)
  })

  test('prompt=select_account offers the user who is logged in, and going on needs no password', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const { browser } = await logIn(issuer, app, ada)
    const begun = await app.begin({ prompt: 'select_account' })
    const choice = await browser.get(begun.url)
    expect(choice.html).toContain(ada.email)
    expect(choice.html).not.toContain('name="password"')
    const callback = await browser.submit(choice)
    expect((await app.redeem(begun, callback)).claims()?.email).toBe(ada.email)
  })

  test('prompt=select_account lets another user log in', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    await issuer.addUser(bob)
    const app = await createClient(issuer)
    const { browser } = await logIn(issuer, app, ada)
    const begun = await app.begin({ prompt: 'select_account' })
    const form = await followLink(browser, await browser.get(begun.url), '/other')
    expect(form.html).toContain('name="password"')
    expect(form.html).not.toContain(ada.email)
    const callback = await browser.submit(form, bob)
    expect((await app.redeem(begun, callback)).claims()?.email).toBe(bob.email)
  })

  test.each(['select_account', 'login select_account', 'create'])(
    'with prompt=%s and no session, one login is enough',
    async (prompt) => {
      const settings = { allowSignups: false }
      await using issuer = await startIssuer({ store, settings })
      await issuer.addUser(ada)
      const app = await createClient(issuer)
      const { begun, callback } = await logIn(issuer, app, ada, undefined, { prompt })
      expect((await app.redeem(begun, callback)).claims()?.email).toBe(ada.email)
    },
  )
})

test('every login page shows the address of login_hint', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const app = await createClient(issuer)
  const fresh = await createBrowser(issuer).get((await app.begin({ login_hint: bob.email })).url)
  expect(fresh.html).toContain(`value="${bob.email}"`)

  const { browser } = await logIn(issuer, app, ada)
  for (const prompt of ['login', 'create', 'select_account']) {
    let page = await browser.get((await app.begin({ prompt, login_hint: bob.email })).url)
    if (prompt === 'select_account') page = await followLink(browser, page, '/other')
    expect(page.html, prompt).toContain(`value="${bob.email}"`)
  }
})

test('discovery names the prompts (Initiating User Registration 1.0 §4.1)', async () => {
  await using issuer = await startIssuer()
  const answer = await issuer.fetch(`${issuer.url}/.well-known/openid-configuration`)
  expect(await answer.json()).toMatchObject({
    prompt_values_supported: ['none', 'create', 'login', 'select_account', 'consent'],
  })
})

test('a sign-up form that may not be shown gives way to the login form', async () => {
  await using issuer = await startIssuer({ settings: { allowSignups: false } })
  const app = await createClient(issuer)
  for (const parameters of [{ prompt: 'create' }, { screen_hint: 'signup' }]) {
    const page = await createBrowser(issuer).get((await app.begin({ ...parameters })).url)
    expect(page.status).toBe(200)
    expect(page.html).toContain('autocomplete="current-password"')
  }
})
