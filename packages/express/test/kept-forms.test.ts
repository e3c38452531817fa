import { requireUser } from '@latchkey/express'
import express, { type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../../../test/support/chromium.ts'
import { startTlsSite, type TlsSite } from './support/tls-site.ts'

const TEXT = 'Dear all,\r\n\r\n<b>this</b> took me an hour & a "half".'

function routes(app: Express): void {
  app.use(express.urlencoded({ extended: true }))
  app.get('/write', requireUser(), (_req, res) => {
    const fields = '<textarea name="text[body]"></textarea><input name="password" value="hunter22">'
    res.send(
      `<main>write</main><form method="post" action="/letters?to=all">${fields}<button>Send</button></form>`,
    )
  })
  app.post('/letters', requireUser(), (req, res) => {
    res.locals.showsSecrets = true
    res.type('text').send(JSON.stringify([req.query.to, req.body]))
  })
}

let site: TlsSite
let browser: Browser

beforeAll(async () => {
  const before = (app: Express): void => void app.use(helmet() as RequestHandler)
  site = await startTlsSite(routes, express(), { keepForms: true }, before)
  browser = await launchChromium(site.browserArguments)
})
afterAll(async () => {
  await browser?.close()
  await site.close()
})

test('in a real browser without scripts, what was written on a page after the session ended arrives with one more click', async () => {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, javaScriptEnabled: false })
  const tab = await context.newPage()
  await tab.goto(`${site.url}/write`)
  await context.clearCookies({ name: '__Host-latchkey' })
  await tab.fill('textarea', TEXT)

  await tab.click('button')
  await tab.waitForSelector('dl')

  expect(await tab.textContent('h1')).toBe('Send what you wrote?')
  expect(await tab.textContent('dd')).toBe(TEXT.replaceAll('\r', ''))
  expect(await tab.textContent('main')).toContain('these fields were not kept: password')
  await tab.reload()
  await tab.click('button')
  await tab.waitForURL(`${site.url}/letters?to=all`)
  expect(JSON.parse((await tab.textContent('body')) ?? '')).toEqual([
    'all',
    { text: { body: TEXT } },
  ])
  await tab.goBack()
  expect(await tab.textContent('h1')).toBe('This form is no longer here')
  await context.close()
})
