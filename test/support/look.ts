import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)

/**
 * Whether every page is looked at in every language, color and window, as they are each night: `LATCHKEY_GALLERY=full`.
 * Otherwise those whose accessibility trees are stored are, in English and light colors on a desktop.
 */
export const isFullGallery = process.env.LATCHKEY_GALLERY === 'full'

/** The sizes of window that pages are looked at in. */
export const sizes = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
  /** A window of 1280 to 1024 pixels, zoomed to 400 % (WCAG 2.2 §1.4.10). */
  narrowest: { width: 320, height: 256 },
}

/** Keeps a picture of the page in the folder that LATCHKEY_SCREENSHOTS names, if it does. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.LATCHKEY_SCREENSHOTS
  if (!folder) return
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/**
 * What axe has against the page, which has no frames.
 *
 * @param onlyColors - For a page that was looked at in other colors already.
 */
export async function violationsOf(page: Page, onlyColors = false): Promise<string[]> {
  // Most of the time of a look went into sending axe, so it is sent to a document once.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource)
  const options: RunOptions = {
    resultTypes: ['violations'],
    ...(onlyColors && { runOnly: { type: 'tag', values: ['cat.color'] } }),
  }
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`
  const violations = (await page.evaluate(run)) as AxeResults['violations']
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  )
}

/** Whether the page is wider than the window. */
export async function overflows(page: Page): Promise<boolean> {
  const probe = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
  return (await page.evaluate(probe)) === true
}

/** The least spacing of text that users may set (WCAG 2.2 §1.4.12). */
const SPACING = `* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }
  p { margin-bottom: 2em !important }`

/** Buttons and fields without a border, which forced colors make invisible otherwise. */
const BORDERLESS = `[...document.querySelectorAll('button, a.button, input:not([type=hidden], [type=checkbox], [type=radio]), select, textarea')]
  .filter((one) => one.checkVisibility() && !one.hasAttribute('data-show') && getComputedStyle(one).borderTopStyle === 'none')
  .map((one) => 'has no border in forced colors: ' + one.outerHTML.slice(0, 120))`

const MOVING = `[...document.querySelectorAll('*')]
  .filter((one) => {
    const { transitionDuration, animationName, animationDuration } = getComputedStyle(one)
    return parseFloat(transitionDuration) > 0.01 || (animationName !== 'none' && parseFloat(animationDuration) > 0.01)
  })
  .map((one) => 'moves in spite of reduced motion: ' + one.outerHTML.slice(0, 120))`

/** Elements whose text is cut off, other than those that only screen readers read. */
const CLIPPED = `[...document.querySelectorAll('body *')]
  .filter((one) => {
    const { overflowX, overflowY, position } = getComputedStyle(one)
    const isHidden = /hidden|clip/.test(overflowX + overflowY) && one.clientWidth > 2
    return isHidden && one.checkVisibility() && one.textContent.trim() !== '' &&
      (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
  })
  .map((one) => 'cuts its text: ' + one.outerHTML.slice(0, 120))`

/**
 * What is wrong with a page for users who change its look: forced colors, reduced motion, more space between letters and
 * lines, 400 % zoom, and a language that is written from right to left. The window is as before afterwards.
 */
export async function faultsWhenAdapted(page: Page): Promise<string[]> {
  const faults: string[] = []
  const look = async (name: string, probe: string): Promise<void> => {
    const found = (await page.evaluate(probe)) as string[]
    faults.push(...found.map((fault) => `${name}: ${fault}`))
  }
  const lookAtSizes = async (name: string): Promise<void> => {
    const before = page.viewportSize()
    for (const size of [before, sizes.narrowest]) {
      if (size) await page.setViewportSize(size)
      if (await overflows(page)) faults.push(`${name}: wider than ${size?.width} pixels`)
      await look(`${name} at ${size?.width} pixels`, CLIPPED)
    }
    if (before) await page.setViewportSize(before)
  }
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
  await look('forced colors', BORDERLESS)
  await look('reduced motion', MOVING)
  await page.emulateMedia({ forcedColors: 'none', reducedMotion: 'no-preference' })
  await lookAtSizes('zoom')
  await page.evaluate(`document.documentElement.dir = 'rtl'`)
  await lookAtSizes('right to left')
  await page.evaluate(`document.documentElement.dir = 'ltr'`)
  await page.evaluate(`{
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(${JSON.stringify(SPACING)})
    document.adoptedStyleSheets = [sheet]
  }`)
  await lookAtSizes('text spacing')
  await page.evaluate('document.adoptedStyleSheets = []')
  return faults
}
