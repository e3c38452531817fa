import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuthRouter, requireUser } from '@latchkey/express'
import express from 'express'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../../../test/support/chromium.ts'
import { SESSION_SECRET } from './support/app.ts'
import { type Site, startSite } from './support/site.ts'

let site: Site
let browser: Browser

beforeAll(async () => {
  site = await startSite((app) => {
    app.get('/', (req, res) => {
      const state = req.auth.isAuthenticated ? 'in' : 'out'
      res.send(`<main>${state}</main><a href="/logout">Log out</a><img src="/logout" alt="">`)
    })
    app.get('/page/:name', requireUser(), (req, res) => {
      res.send(`<main>page ${req.params.name}</main>`)
    })
  })
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await site.close()
})

test('in a real browser two tabs and three tabs that log in at once all arrive', async () => {
  for (const names of [
    ['one', 'two'],
    ['a', 'b', 'c'],
  ]) {
    const context = await browser.newContext()
    const tabs = await Promise.all(
      names.map(async (name) => {
        const tab = await context.newPage()
        await tab.goto(`${site.url}/page/${name}`)
        return tab
      }),
    )

    const texts = await Promise.all(tabs.map((tab) => tab.textContent('main')))

    expect(texts).toEqual(names.map((name) => `page ${name}`))
    await context.close()
  }
})

test('in a real browser the back button and a reload of the callback end logged in', async () => {
  const context = await browser.newContext()
  const tab = await context.newPage()
  let callback = ''
  tab.on('request', (request) => {
    if (request.url().includes('/callback?')) callback = request.url()
  })
  await tab.goto(`${site.url}/page/first`)
  await tab.goto(`${site.url}/page/second`)
  await tab.goBack()
  expect(await tab.textContent('main')).toBe('page first')

  await tab.goto(callback)

  expect(await tab.textContent('main')).toBe('page first')
  await context.close()
})

test('in a real browser a callback opened twice at the same moment ends logged in both times', async () => {
  const context = await browser.newContext()
  const redirect = async (url: string): Promise<string> =>
    (await context.request.get(url, { maxRedirects: 0 })).headers().location as string
  const callback = await redirect(await redirect(`${site.url}/login?returnTo=/page/twice`))
  const [first, second] = [await context.newPage(), await context.newPage()]

  await Promise.all([first.goto(callback), second.goto(callback)])

  expect(await first.textContent('main')).toBe('page twice')
  expect(await second.textContent('main')).toBe('page twice')
  await context.close()
})

test('in a real browser logins work with a strict session cookie, and the second ends the first session', async () => {
  const app = express()
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The provider is at 127.0.0.1: another site.
  const baseUrl = `http://localhost:${(server.address() as AddressInfo).port}`
  const { issuer, clientId, clientSecret } = site.provider
  const session = { secret: SESSION_SECRET, cookie: { sameSite: 'strict' as const } }
  app.use(createAuthRouter({ issuer, clientId, clientSecret, baseUrl, session }))
  app.get('/page', requireUser(), (req, res) => {
    const data = req.session as unknown as { visits?: number }
    data.visits = (data.visits ?? 0) + 1
    res.send(`<main>page, visit ${data.visits}</main>`)
  })
  const context = await browser.newContext()
  const tab = await context.newPage()
  await tab.goto(`${issuer}/logout`)

  const target = `${baseUrl}/page?a=1;b='2"`
  await tab.evaluate(`location.href = ${JSON.stringify(target)}`)

  await tab.waitForURL(`${baseUrl}/page**`)
  expect(await tab.textContent('main')).toBe('page, visit 1')
  expect(tab.url()).toBe(`${baseUrl}/page?a=1;b=%272%22`)
  const [first] = await context.cookies(baseUrl)

  await tab.goto(`${issuer}/logout`)
  await tab.evaluate(`location.href = ${JSON.stringify(`${baseUrl}/login?returnTo=/page`)}`)
  await tab.waitForURL(`${baseUrl}/page`)

  expect(await tab.textContent('main')).toBe('page, visit 2')
  const cookie = `${first?.name}=${first?.value}`
  expect((await fetch(`${baseUrl}/page`, { headers: { cookie } })).status).toBe(401)
  await context.close()
  server.closeAllConnections()
  server.close()
})

test('in a real browser an image of the logout logs no user out, and a link that is followed does', async () => {
  const context = await browser.newContext()
  const tab = await context.newPage()
  await tab.goto(`${site.url}/login`)
  await tab.reload()
  expect(await tab.textContent('main')).toBe('in')

  await Promise.all([tab.waitForURL(`${site.provider.issuer}/**`), tab.click('a')])

  await tab.goto(site.url)
  expect(await tab.textContent('main')).toBe('out')
  await context.close()
})

test('in a real browser the page that asks before a logout works without a script', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const tab = await context.newPage()
  await tab.goto(`${site.url}/login`)
  await tab.goto(`${site.url}/logout`)

  await Promise.all([tab.waitForURL(`${site.provider.issuer}/**`), tab.click('button')])

  await tab.goto(site.url)
  expect(await tab.textContent('main')).toBe('out')
  await context.close()
})
