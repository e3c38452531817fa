import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../scripts/packages.ts'
import { launchChromium } from './chromium.ts'
import { keepPicture, overflows, sizes, violationsOf } from './look.ts'
import { startExample } from './started.ts'

/** An example that serves pages: what a person opens, and what the page then says. */
interface Example {
  readonly name: string
  readonly opens: string
  readonly sees: string
}

/** The examples that say in their package.json what a person opens. */
export const examples: readonly Example[] = globSync('examples/*/package.json', { cwd: root })
  .sort()
  .flatMap((file): Example[] => {
    const { latchkey } = JSON.parse(readFileSync(join(root, file), 'utf8'))
    return latchkey ? [{ name: basename(dirname(file)), ...latchkey }] : []
  })

/** Those that are started in every run. */
export const usual: readonly string[] = ['express-redis']

/** Starts examples as a person does, and logs in. */
export function tryExamples(chosen: readonly Example[]): void {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  test.for(chosen)(
    '$name starts with one command, logs in, and stops with Ctrl-C',
    async ({ name, opens, sees }) => {
      await using example = await startExample(startScript(name))
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(example.application)
      await look(page, name, 'home')

      await page.goto(example.application + opens)
      const [email = '', password = ''] = Object.entries(example.passwords)[0] ?? []
      await page.getByLabel('Email address').fill(email)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Log in' }).click()

      await page.getByText(sees).first().waitFor()
      expect(await page.locator('.card').textContent()).toContain('Logged in as Ada Lovelace')
      await look(page, name, 'logged-in')
      await context.close()
      expect(await example.stop()).toBe(0)
    },
  )
}

/** The script that `pnpm --filter example-<name> start` runs. */
function startScript(name: string): string {
  const manifest = JSON.parse(readFileSync(join(root, 'examples', name, 'package.json'), 'utf8'))
  expect(manifest.name).toBe(`@latchkey/example-${name}`)
  return join('examples', name, manifest.scripts.start.split(' ').at(-1))
}

/** Keeps pictures for people to look at, and has axe look at the page in light and dark. */
async function look(page: Page, name: string, what: string): Promise<void> {
  for (const [device, scheme] of [
    ['desktop', 'light'],
    ['phone', 'dark'],
  ] as const) {
    await page.setViewportSize(sizes[device])
    await page.emulateMedia({ colorScheme: scheme })
    // Next.js streams the page, and shows it once its scripts have run.
    await page.getByRole('heading', { level: 1 }).waitFor()
    await keepPicture(page, `example-${name}-${what}-${device}`)
    // The same page again is looked at for its colors alone.
    expect(await violationsOf(page, scheme === 'dark')).toEqual([])
    expect(await overflows(page)).toBe(false)
  }
}
