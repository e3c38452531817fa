import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { launchChromium } from '../../../../test/support/chromium.ts'

/** Starts the Chromium of this machine. */
export async function startChromium() {
  const browser = await launchChromium()

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    return (await browser.newContext(options)).newPage()
  }

  return { open, [Symbol.asyncDispose]: () => browser.close() }
}

/** An application that says hello on every page. */
export async function startApplication() {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>The application</h1>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    /** How it is registered at the issuer. */
    input: {
      loginUrl: `${url}/login`,
      logoutUrls: [`${url}/logged-out`],
      redirectUrls: [`${url}/callback`],
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

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
