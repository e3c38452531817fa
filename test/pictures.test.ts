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

test('the picture of the example application shows what it looks like today', {
  timeout: 60_000,
}, async () => {
  await using demo = await startDemo()
  const page = await browser.newPage({
    viewport: { width: 800, height: 640 },
    deviceScaleFactor: 1.5,
  })
  await page.goto(`${demo.application}/account`)
  await page.getByLabel('Email address').fill('ada@example.com')
  await page.getByLabel('Password', { exact: true }).fill(demo.passwords['ada@example.com'] ?? '')
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.getByText('Logged in as').waitFor()
  await compare(page, 'logged-in', 25)
})

test('the pictures of the console show what it looks like today', { timeout: 60_000 }, async () => {
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
 */
async function compare(page: Page, name: string, elements: number): Promise<void> {
  const file = join(root, 'test/pictures', `${name}.txt`)
  const drawn = await drawing(page, elements)
  if (isRenewed) {
    writeFileSync(file, drawn)
    await page.screenshot({ path: join(root, 'docs/images', `${name}.png`) })
  }
  expect(drawn, `docs/images/${name}.png is out of date. Make it anew: ${RENEW}`).toBe(
    readFileSync(file, 'utf8'),
  )
}
