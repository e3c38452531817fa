import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core'
import { device } from '../chromium.ts'
import { type Engine, type Profile, places, type Tab, until, WAIT_MILLISECONDS } from './engine.ts'
import { connectMarionette, marionettePreferences, tabOfMarionette } from './marionette.ts'

const PATH = '/usr/bin/firefox-esr'

/** The value of `network.cookie.cookieBehavior` that refuses every cookie. */
const REFUSE_COOKIES = 2

/** The reason why Firefox cannot run here; `undefined` when it can. */
export function firefoxMissing(): string | undefined {
  return existsSync(PATH) ? undefined : 'needs firefox-esr of Debian'
}

/** The preferences of strict tracking protection. Those of puppeteer would allow more than a user's Firefox does. */
const STRICT = {
  'browser.contentblocking.category': 'strict',
  'network.cookie.cookieBehavior': 5,
  'privacy.trackingprotection.enabled': true,
  'privacy.trackingprotection.socialtracking.enabled': true,
  'privacy.fingerprintingProtection': true,
  'privacy.query_stripping.enabled': true,
  'privacy.bounceTrackingProtection.mode': 1,
} as const

/** Preferences that replace authenticators in USB ports by virtual ones. */
const VIRTUAL_AUTHENTICATORS = {
  'security.webauth.webauthn_enable_softtoken': true,
  'security.webauth.webauthn_enable_usbtoken': false,
} as const

/** Starts Firefox with strict tracking protection, which is driven over WebDriver BiDi. A profile with settings has a Firefox of its own. */
export async function startFirefox(): Promise<Engine> {
  const browser = await launch({})
  return {
    async open({ blocksCookies, blocksScripts, hasPasskeys } = {}) {
      if (blocksScripts) return openWithoutScripts()
      if (hasPasskeys) return openWithPasskeys()
      if (!blocksCookies) return profileOf(await browser.createBrowserContext())
      const own = await launch({
        'browser.contentblocking.category': 'custom',
        'network.cookie.cookieBehavior': REFUSE_COOKIES,
      })
      return profileOf(own.defaultBrowserContext(), () => own.close())
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

async function openWithPasskeys(): Promise<Profile> {
  await using all = new AsyncDisposableStack()
  const folder = all.adopt(mkdtempSync(join(tmpdir(), 'latchkey-firefox-')), remove)
  const preferences = { ...VIRTUAL_AUTHENTICATORS, ...marionettePreferences }
  const own = await launch(preferences, { userDataDir: folder, args: ['--marionette'] })
  all.defer(() => own.close())
  const marionette = all.use(await connectMarionette(folder))
  await marionette.ask('WebAuthn:AddVirtualAuthenticator', device)
  const owned = all.move()
  return profileOf(own.defaultBrowserContext(), () => owned.disposeAsync())
}

/** BiDi reads pages by scripts, so a Firefox without scripts is driven by its own protocol. */
async function openWithoutScripts(): Promise<Profile> {
  await using all = new AsyncDisposableStack()
  const folder = all.adopt(mkdtempSync(join(tmpdir(), 'latchkey-firefox-')), remove)
  const preferences = Object.entries({
    ...{ ...STRICT, ...marionettePreferences },
    'javascript.enabled': false,
  })
  const lines = preferences.map(
    (preference) => `user_pref(${JSON.stringify(preference).slice(1, -1)});`,
  )
  writeFileSync(join(folder, 'user.js'), lines.join('\n'))
  const args = ['--headless', '--no-remote', '--marionette', '--profile', folder]
  const own = spawn(PATH, args, { stdio: 'ignore' })
  all.defer(async () => {
    own.kill()
    if (own.exitCode === null) await once(own, 'exit')
  })
  const marionette = all.use(await connectMarionette(folder))
  await marionette.ask('WebDriver:NewSession')
  const owned = all.move()
  return {
    newTab: async () => tabOfMarionette(marionette),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

function launch(
  preferences: Record<string, unknown>,
  options: { userDataDir?: string; args?: string[] } = {},
): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: PATH,
    headless: true,
    extraPrefsFirefox: { ...STRICT, ...preferences },
    protocolTimeout: WAIT_MILLISECONDS,
    ...options,
  })
}

function profileOf(context: BrowserContext, close = () => context.close()): Profile {
  return {
    newTab: async () => tabOf(await context.newPage()),
    [Symbol.asyncDispose]: close,
  }
}

function tabOf(page: Page): Tab {
  const find = (xpath: string) =>
    until(xpath, async () => {
      const [found] = await page.$$(`xpath/.${xpath}`)
      return found
    })
  return {
    open: async (url) => void (await page.goto(url, { waitUntil: 'domcontentloaded' })),
    async press(text) {
      await (await find(places.pressable(text))).click()
    },
    async fill(label, text) {
      const field = await find(places.field(label))
      await field.click({ count: 3 })
      await field.type(text)
    },
    // biome-ignore lint/performance/useDomNodeTextContent: users do not see hidden text
    text: () => page.$eval('body', (body) => (body as unknown as { innerText: string }).innerText),
    address: async () => page.url(),
    picture: async () => Buffer.from(await page.screenshot({ fullPage: true })),
    back: async () => void (await page.goBack({ waitUntil: 'domcontentloaded' })),
    async forgetCookie(name) {
      const context = page.browserContext()
      const all = await context.cookies()
      await context.deleteCookie(...all.filter((cookie) => cookie.name === name))
    },
  }
}
