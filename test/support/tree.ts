import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { root } from '../../scripts/packages.ts'
import { withoutChance } from './drawing.ts'

/** The folder of the trees that pages had when they were last read. */
export const trees = 'test/trees'

/** What a page makes up for its user. */
const secrets: readonly [RegExp, string][] = [
  [/\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{1,2}\b/g, '(day)'],
  // The full gallery makes users on its way.
  [/of \d+ users chosen/g, 'of (number) users chosen'],
  [/reader-0\.\d+@/g, 'reader@'],
  [/\b[A-Z2-7]{4}( [A-Z2-7]{4}){7}\b/g, '(key)'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '(id)'],
  [/(?<=ends in(?: |\n *- code: ))[\w-]{4}/g, '(end)'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:…'],
  [/localhost%3A\d+/g, 'localhost%3A…'],
  [/\/login\/[\w-]{12,}/g, '/login/(handle)'],
]

/**
 * Compares what a screen reader is told of a page, role by role, with the tree that was stored when it was last read.
 * `LATCHKEY_PICTURES=renew` stores it again.
 */
export async function compareTree(page: Page, name: string): Promise<void> {
  const file = join(root, trees, `${name}.txt`)
  const said = withoutChance(await page.locator('body').ariaSnapshot())
  const tree = `${secrets.reduce((text, [secret, name]) => text.replace(secret, name), said)}\n`
  if (process.env.LATCHKEY_PICTURES === 'renew') writeFileSync(file, tree)
  const stored = existsSync(file) ? readFileSync(file, 'utf8') : ''
  expect(
    tree,
    `What a screen reader says of the page "${name}" has changed. Read it, and store it with LATCHKEY_PICTURES=renew.`,
  ).toBe(stored)
}
