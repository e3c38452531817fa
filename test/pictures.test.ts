import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenWithConsole } from '../packages/service/test/console/chromium.ts'
import { fillConsole } from '../packages/service/test/console/gallery-data.ts'
import { root } from '../scripts/packages.ts'
import { launchChromium } from './support/chromium.ts'
import { drawing } from './support/drawing.ts'
import { sizes } from './support/look.ts'
import { startDemo } from './support/started.ts'

const RENEW = 'LATCHKEY_PICTURES=renew npx pnpm test test/pictures'

const isRenewed = process.env.LATCHKEY_PICTURES === 'renew'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

test('the pictures of a login at the example application show what it looks like today', async () => {
  await using demo = await startDemo()
  const page = await browser.newPage({
    viewport: { width: 800, height: 640 },
    deviceScaleFactor: 1.5,
  })
  const [, recorder = ''] = /Recorder +(\S+)/.exec(demo.output) ?? []
  await page.goto(recorder)
  await page.goto(`${demo.application}/account`)
  await page.getByLabel('Email address').fill('ada@example.com')
  await compare(page, 'login-page', 40)
  await page.getByLabel('Password', { exact: true }).fill(demo.passwords['ada@example.com'] ?? '')
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.getByText('Logged in as').waitFor()
  await compare(page, 'logged-in', 25)
  await page.goto(`${demo.application}/__latchkey`)
  const steps = await page.locator('details[open] > ol > li').count()
  expect(steps).toBe(10)
  for (let step = 1; step <= steps; step++) {
    await compare(page, `login-step-${step}`, 40, `details[open] > ol > li:nth-child(${step})`)
  }
})

test('the pictures of the console show what it looks like today', async () => {
  await using running = await listenWithConsole()
  const { tenant, user } = await fillConsole(running.service)
  const page = await browser.newPage({ viewport: sizes.desktop })
  await running.enter(page, { email: 'ada@example.com', role: 'owner' })
  await page.goto(`${running.url}/console/t/${tenant}/users`)
  await compare(page, 'console-users', 120)
  await page.goto(`${running.url}/console/t/${tenant}/users/${user}`)
  await compare(page, 'console-user', 120)
})

test('every picture of the documentation is compared here', () => {
  const names = (folder: string, suffix: string) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith(suffix))
      .map((file) => file.replace(suffix, ''))
      .sort()
  expect(names('docs/images', '.png')).toEqual(names('test/pictures', '.txt'))
})

/**
 * Compares the first elements of a page with those that it had when its picture was made. Pixels are not compared: they
 * differ with every font and browser.
 *
 * @param elements - About as many as the picture shows.
 * @param within - The element that the picture shows, as a selector. Default the window.
 */
async function compare(page: Page, name: string, elements: number, within?: string): Promise<void> {
  const file = join(root, 'test/pictures', `${name}.txt`)
  const drawn = await drawing(page, elements, within)
  if (isRenewed) {
    writeFileSync(file, drawn)
    await (within ? page.locator(within) : page).screenshot({
      path: join(root, 'docs/images', `${name}.png`),
    })
  }
  expect(drawn, `docs/images/${name}.png is out of date. Make it anew: ${RENEW}`).toBe(
    readFileSync(file, 'utf8'),
  )
}
