import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

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
 * What axe has against the page, which has no frames: without them it needs no second window.
 *
 * @param onlyColors - For a page that was looked at in other colours already.
 */
export async function violationsOf(page: Page, onlyColors = false): Promise<string[]> {
  const axe = new AxeBuilder({ page }).setLegacyMode()
  const { violations } = await (onlyColors ? axe.withTags('cat.color') : axe).analyze()
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  )
}

/** Whether the page is wider than the window. */
export async function overflows(page: Page): Promise<boolean> {
  const probe = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
  return (await page.evaluate(probe)) === true
}
