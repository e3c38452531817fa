import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Frame, Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { typeface } from '../../src/pages/index.ts'
import { listenWithConsole } from '../console/chromium.ts'
import { fillConsole } from '../console/gallery-data.ts'
import { createBrowser } from '../issuer/support/browser.ts'
import { startIssuer } from '../issuer/support/issuer.ts'
import { startChromium } from './chromium.ts'

async function start() {
  const running = await listenWithConsole()
  const chromium = await startChromium()
  onTestFinished(async () => {
    await chromium[Symbol.asyncDispose]()
    await running[Symbol.asyncDispose]()
  })
  return { ...running, chromium }
}

/** The files of the type face with which a page is shown, and those that it could have asked for. */
const facesOf = (page: Page | Frame): Promise<{ loaded: number; known: number; first: string }> =>
  page.evaluate(`document.fonts.ready.then((fonts) => ({
    loaded: [...fonts].filter(({ status }) => status === 'loaded').length,
    known: fonts.size,
    first: getComputedStyle(document.body).fontFamily.split(',')[0],
  }))`)

test('in Chromium, hosted pages, the console and the previews in it are in Geist, and a second file comes for letters that need it', async () => {
  const { service, url, enter, chromium } = await start()
  const { tenant } = await fillConsole(service)
  const page = await chromium.open()
  const asked: string[] = []
  const refused: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('.woff2')) asked.push(new URL(request.url()).pathname)
  })
  page.on('console', (line) => {
    if (line.type() === 'error' && line.text().includes('font')) refused.push(line.text())
  })
  const oneFile = { loaded: 1, known: 2, first: 'Geist' }

  await page.goto(`${url}/console`)
  await page.getByLabel('Email address').waitFor()
  expect(await facesOf(page)).toEqual(oneFile)
  expect(new Set(asked)).toEqual(new Set([typeface[0]?.path]))

  await enter(page, { email: 'ada@example.com', role: 'owner' })
  expect(await facesOf(page)).toEqual(oneFile)

  await page.goto(`${url}/console/t/${tenant}/settings`)
  await page.locator('#company_name').fill('Łódź Őrs')
  await page.locator('.chosen button').click()
  const frame = page.frameLocator('iframe').first()
  await frame.getByRole('heading').waitFor()
  const [preview] = page.mainFrame().childFrames()
  expect(preview && (await facesOf(preview))).toEqual({ ...oneFile, loaded: 2 })
  expect(refused).toEqual([])
})

test('the type face is below 60 kB, stays in the browser for a year, and comes with its license', async () => {
  await using issuer = await startIssuer()
  const browser = createBrowser(issuer)
  const sizes: number[] = []
  for (const { path } of typeface) {
    const { status, headers } = await browser.get(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('font/woff2')
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    sizes.push(Number(headers.get('content-length')))
  }
  expect(sizes).toHaveLength(2)
  expect(sizes.reduce((sum, one) => sum + one)).toBeLessThan(60_000)

  const { resolve } = createRequire(import.meta.url)
  const own = readFileSync(new URL('../../OFL.txt', import.meta.url), 'utf8')
  expect(own).toBe(readFileSync(resolve('@fontsource-variable/geist/LICENSE'), 'utf8'))
})
