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

/** The sizes of window that pages are looked at in. */
export const sizes = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
  /** What nothing may be wider than (WCAG 2.2 §1.4.10). */
  narrowest: { width: 320, height: 640 },
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
