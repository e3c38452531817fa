import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { startChromium } from '../pages/chromium.ts'
import { listenWithConsole } from './chromium.ts'
import { fillConsole } from './gallery-data.ts'

const phone = { width: 390, height: 844 }

/** The console with 60 users, in a window with scripts and in one without. */
async function start() {
  const chromium = await startChromium()
  const running = await listenWithConsole()
  onTestFinished(async () => {
    await chromium[Symbol.asyncDispose]()
    await running[Symbol.asyncDispose]()
  })
  const ids = await fillConsole(running.service)
  const page = await chromium.open()
  await running.enter(page, { email: 'ada@example.com', role: 'owner' })
  const storageState = await page.context().storageState()
  const plain = await chromium.open({ storageState, javaScriptEnabled: false, viewport: phone })
  return { page, plain, base: `${running.url}/console/t/${ids.tenant}`, ids }
}

/** What a screen reader finds on the page, with the number that the style sheet counts. */
async function heardOn(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  const texts = nodes.filter(({ role }) => role?.value === 'StaticText')
  return texts
    .map(({ name }) => name?.value)
    .join('')
    .replace(/\s+/g, ' ')
}

/** The words of names in the list that stand on two lines, though no line is wider than its cell. */
const brokenWords = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('td.name bdi, td.name a bdi')].flatMap((name) => {
    const text = name.firstChild
    return [...(text?.textContent ?? '').matchAll(/[^\\s-]+/g)].filter(({ 0: word, index }) => {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      return range.getClientRects().length > 1
    }).map(({ 0: word }) => word)
  })`)

test('in Chromium, the console is used with little at hand: tabs in groups, boxes that are counted, ids and names of the API on demand', async () => {
  const { page, plain, base, ids } = await start()

  // The pages of a tenant stand in groups, on a phone behind one button that needs no script.
  await page.goto(`${base}/users`)
  const group = page.getByRole('list', { name: 'People' })
  expect(await group.getByRole('link').allTextContents()).toEqual(['Users', 'Jobs', 'Outbox'])
  expect(await page.getByRole('navigation', { name: 'Pages of the tenant' }).count()).toBe(1)
  await plain.goto(`${base}/users`)
  expect(await plain.getByRole('link', { name: 'Webhooks' }).count()).toBe(0)
  await plain.locator('.tabs-menu summary').focus()
  await plain.keyboard.press('Enter')
  await plain.getByRole('link', { name: 'Webhooks' }).click()
  await plain.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  expect(await plain.locator('.tabs-menu summary').textContent()).toContain('Webhooks')

  // Boxes are small; the bar counts them without a script, and stays in sight. With one, a box takes the whole page.
  expect((await page.locator('input[name=user]').first().boundingBox())?.width).toBeLessThan(20)
  expect(await page.locator('.chosen').isVisible()).toBe(true)
  const box = await page.locator('.chosen').boundingBox()
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0)
  expect(await heardOn(page)).toContain('0 of 60 users chosen')
  await page.getByRole('checkbox', { name: 'All on this page' }).check()
  expect(await page.locator('input[name=user]:checked').count()).toBe(50)
  expect(await heardOn(page)).toContain('50 of 60 users chosen')
  await page.locator('input[name=user]').first().uncheck()
  expect(await page.getByRole('checkbox', { name: 'All on this page' }).isChecked()).toBe(false)
  await plain.goto(`${base}/users`)
  expect(await plain.getByRole('checkbox', { name: 'All on this page' }).count()).toBe(0)
  for (const one of (await plain.locator('input[name=user]').all()).slice(0, 2)) await one.check()
  expect(await heardOn(plain)).toContain('2 of 60 users chosen')
  await plain.getByRole('button', { name: 'The chosen ones…' }).click()
  await plain.getByRole('heading', { name: 'Disable: 2 users' }).waitFor()

  // Paging and both ways in and out of the list are in sight without scrolling.
  await page.goto(`${base}/users`)
  for (const name of ['Next page', 'Import…', 'Export as CSV']) {
    const reached = await page
      .getByRole(name === 'Export as CSV' ? 'button' : 'link', { name })
      .boundingBox()
    expect((reached?.y ?? Infinity) + (reached?.height ?? 0), name).toBeLessThanOrEqual(720)
  }

  // No id stands in the way; that of the object is copied by a button.
  expect(await page.locator('.crumbs').textContent()).not.toContain(ids.tenant)
  expect(await page.locator('main td').allTextContents()).not.toContainEqual(
    expect.stringContaining('usr_'),
  )
  await page.goto(`${base}/users/${ids.user}`)
  await page
    .locator('dd')
    .filter({ hasText: ids.user ?? '' })
    .getByRole('button', { name: 'Copy' })
    .waitFor()

  // Words of names stay whole while the table has room.
  await page.goto(`${base}/users`)
  for (const width of [1280, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await brokenWords(page)).toEqual([])
  }

  // The names that the API has for settings are shown on demand, without a script.
  await plain.goto(`${base}/settings`)
  const name = plain.getByText('allow_social', { exact: true })
  expect(await name.isVisible()).toBe(false)
  await plain.getByLabel('Show the names in the API').check()
  expect(await name.isVisible()).toBe(true)
  await page.goto(base)
  expect(await page.getByText('Accounts at providers').isVisible()).toBe(true)
  expect(await page.getByText('allow_social').isVisible()).toBe(false)
})
