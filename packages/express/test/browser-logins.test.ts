import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireUser } from '@latchkey/express'
import express, { type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium, launchOptions } from '../../../test/support/chromium.ts'
import { createBrowser } from './support/browser.ts'
import { startTlsSite, type TlsSite } from './support/tls-site.ts'

let site: TlsSite
let browser: Browser
/** What the sibling host answers next. */
let planted: { setCookies: string[]; html: string }

function routes(app: Express): void {
  app.get('/', (req, res) => {
    res.send(`<main>${req.auth.isAuthenticated ? req.auth.user.sub : 'out'}</main>`)
  })
  app.get('/page/:name', requireUser(), (req, res) => {
    res.send(`<main>page ${req.params.name}</main>`)
  })
}

const sibling = express()
sibling.get('/', (_req, res) => {
  res.locals.showsSecrets = true
  res.set('set-cookie', planted.setCookies).send(planted.html)
})

sibling.get('/ask', (req, res) => {
  const href = `${planted.html}/auth?${new URL(req.url, site.url).searchParams}`
  res.send(`<main>who are you?</main><a href="${href.replaceAll('&', '&amp;')}">Ada</a>`)
})

beforeAll(async () => {
  site = await startTlsSite(routes, sibling)
  browser = await launchChromium(site.browserArguments)
})
afterAll(async () => {
  await browser?.close()
  await site.close()
})

const newContext = (): Promise<BrowserContext> => browser.newContext({ ignoreHTTPSErrors: true })

/** Logs in at a provider that shows a page first, as providers do. */
async function goOn(tab: Page): Promise<string | null> {
  await tab.click('a')
  if ((await tab.textContent('main')) === 'who are you?') await tab.click('a')
  return tab.textContent('main')
}

test('in a real browser forty tabs in batches of six leave less than 2 kB of cookies, and arrive', async () => {
  await using asking = await startTlsSite(routes, sibling)
  asking.provider.metadata = { authorization_endpoint: `${asking.sibling}/ask` }
  planted = { setCookies: [], html: asking.provider.issuer }
  const context = await newContext()
  const tabs: Page[] = []
  for (let batch = 0; batch < 40; batch += 6) {
    const names = Array.from({ length: Math.min(6, 40 - batch) }, (_, index) => batch + index)
    tabs.push(
      ...(await Promise.all(
        names.map(async (name) => {
          const tab = await context.newPage()
          await tab.goto(`${asking.url}/page/${name}?q=${'a'.repeat(300)}`)
          return tab
        }),
      )),
    )
  }
  const cookies = await context.cookies(`${asking.url}/callback`)
  const header = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  expect(header.length).toBeLessThan(2048)
  for (const { name } of cookies) expect(name).toMatch(/^__Host-latchkey\.login\./)

  const begun = asking.provider.count('/auth')
  for (const index of [39, 38, 37, 36, 35]) {
    expect(await goOn(tabs[index] as Page)).toBe(`page ${index}`)
  }
  expect(asking.provider.count('/auth') - begun).toBe(5)
  expect(await goOn(tabs[0] as Page)).toBe('page 0')
  await context.close()
})

test('in a real browser that blocks cookies a login is tried twice and then explained', async () => {
  const profile = mkdtempSync(join(tmpdir(), 'latchkey-profile-'))
  mkdirSync(join(profile, 'Default'))
  const blocked = { profile: { default_content_setting_values: { cookies: 2 } } }
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(blocked))
  const context = await chromium.launchPersistentContext(profile, {
    ...launchOptions(site.browserArguments),
    ignoreHTTPSErrors: true,
  })
  try {
    const begun = site.provider.count('/auth')
    const tab = await context.newPage()

    const response = await tab.goto(`${site.url}/page/blocked`)

    expect(response?.status()).toBe(400)
    expect(await tab.textContent('main')).toContain('Allow cookies for this site')
    expect(site.provider.count('/auth') - begun).toBe(2)
  } finally {
    await context.close()
    rmSync(profile, { recursive: true, force: true })
  }
})

/** What a browser of before `Sec-Fetch-*` sends. */
const withoutFetchMetadata: RequestHandler = (req, _res, next) => {
  for (const name of Object.keys(req.headers)) {
    if (name.startsWith('sec-fetch-')) delete req.headers[name]
  }
  next()
}

test.each([
  ['that keeps forms to its own site (the default of helmet)', helmet()],
  ['in a browser that does not say where requests come from', withoutFetchMetadata],
])(
  'in a real browser the log-out form ends both sessions of an application %s',
  async (_name, middleware) => {
    await using plain = await startTlsSite(
      (app) => {
        app.get('/', (req, res) => {
          const form = '<form method="post" action="/logout"><button>Log out</button></form>'
          res.send(`<main>${req.auth.isAuthenticated ? 'in' : 'out'}</main>${form}`)
        })
      },
      sibling,
      {},
      (app) => app.use(middleware),
    )
    const context = await newContext()
    const tab = await context.newPage()
    for (const page of ['/', '/logout']) {
      await tab.goto(`${plain.url}/login`)
      expect(await tab.textContent('main')).toBe('in')
      await tab.goto(plain.url + page)

      await Promise.all([tab.waitForURL(`${plain.provider.issuer}/logout?**`), tab.click('button')])

      await tab.goto(plain.url)
      expect(await tab.textContent('main')).toBe('out')
    }
    await context.close()
  },
)

/** A login that an attacker begins in a browser of their own and leaves at the callback. */
async function beginAsAttacker(at: TlsSite): Promise<{ callback: string; setCookies: string[] }> {
  at.provider.user = { sub: 'mallory' }
  const attacker = createBrowser({ [at.url]: at.served })
  const begun = await attacker.open(`${at.url}/login`, (url) => url.pathname === '/callback')
  const isForm = begun.text.startsWith('{')
  const { action, fields } = isForm ? JSON.parse(begun.text) : { action: '', fields: {} }
  const callback = isForm ? `${action}?${new URLSearchParams(fields)}` : begun.url.href
  const setCookies = [...attacker.cookies].flatMap(([key, { value, path }]) => {
    const [, name = ''] = key.split(' ')
    return [name, name.replace('__Host-', '__Secure-'), name.replace('__Host-', '')].map(
      (one) =>
        `${one}=${value}; Domain=latchkey.test; Path=${path}; Secure; HttpOnly; SameSite=None`,
    )
  })
  at.provider.user = { sub: 'ada' }
  return { callback, setCookies }
}

test('in a real browser a sibling host cannot log a visitor in as another user', async () => {
  const { callback, setCookies } = await beginAsAttacker(site)
  planted = { setCookies, html: '<main>planted</main>' }
  const context = await newContext()
  const tab = await context.newPage()
  await tab.goto(site.sibling)

  await tab.goto(callback)

  expect(await tab.textContent('main')).toBe('ada')
  await context.close()
})

test('in a real browser a sibling host cannot log a visitor in as another user by form_post either', async () => {
  await using formPost = await startTlsSite(routes, sibling, { responseMode: 'form_post' })
  const { callback, setCookies } = await beginAsAttacker(formPost)
  const { origin, pathname, searchParams } = new URL(callback)
  const fields = [...searchParams].map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
  )
  planted = {
    setCookies,
    html: `<form method="post" action="${origin}${pathname}">${fields.join('')}<button>go</button></form>`,
  }
  const context = await newContext()
  const tab = await context.newPage()
  await tab.goto(formPost.sibling)

  // The login begins again, and the provider answers with a form of the visitor's own.
  await Promise.all([tab.waitForURL(`${formPost.provider.issuer}/auth?**`), tab.click('button')])

  await tab.goto(formPost.url)
  expect(await tab.textContent('main')).toBe('out')
  await context.close()
})
