import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { device, launchChromium, launchOptions } from '../chromium.ts'
import {
  type Engine,
  type Profile,
  places,
  type Settings,
  type Tab,
  WAIT_MILLISECONDS,
} from './engine.ts'

/** Starts Chromium. */
export async function startChromium(): Promise<Engine> {
  const browser = await launchChromium()
  return {
    async open(settings = {}) {
      if (settings.blocksCookies) return openWithoutCookies()
      const { width } = settings
      const context = await browser.newContext({
        javaScriptEnabled: !settings.blocksScripts,
        ...(width !== undefined && { viewport: { width, height: 844 } }),
      })
      return profileOf(context, settings)
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

/** A Chromium of its own, as cookies are blocked by the preferences of a profile. */
async function openWithoutCookies(): Promise<Profile> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-chromium-'))
  const profile = { default_content_setting_values: { cookies: 2 } }
  mkdirSync(join(folder, 'Default'))
  writeFileSync(join(folder, 'Default/Preferences'), JSON.stringify({ profile }))
  const context = await chromium.launchPersistentContext(folder, launchOptions())
  return profileOf(context, {}, () => rmSync(folder, { recursive: true, force: true }))
}

function profileOf(context: BrowserContext, settings: Settings, then = () => {}): Profile {
  return {
    consentsUnasked: settings.hasPasskeys ?? false,
    async newTab() {
      const page = await context.newPage()
      if (settings.hasPasskeys) {
        const cdp = await context.newCDPSession(page)
        await cdp.send('WebAuthn.enable')
        await cdp.send('WebAuthn.addVirtualAuthenticator', { options: device })
      }
      return tabOf(page)
    },
    async [Symbol.asyncDispose]() {
      await context.close()
      then()
    },
  }
}

function tabOf(page: Page): Tab {
  const at = (xpath: string) => page.locator(`xpath=${xpath}`).filter({ visible: true }).first()
  return {
    open: async (url) => void (await page.goto(url)),
    press: (text) => at(places.pressable(text)).click({ timeout: WAIT_MILLISECONDS }),
    fill: (label, text) => at(places.field(label)).fill(text),
    // biome-ignore lint/performance/useDomNodeTextContent: users do not see hidden text
    text: () => page.locator('body').innerText(),
    address: async () => page.url(),
    picture: () => page.screenshot({ fullPage: true }),
    back: async () => void (await page.goBack()),
    forgetCookie: (name) => page.context().clearCookies({ name }),
  }
}
