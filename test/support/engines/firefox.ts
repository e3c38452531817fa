import { existsSync } from 'node:fs'
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core'
import { type Engine, type Profile, places, type Tab, until, WAIT_MILLISECONDS } from './engine.ts'

const PATH = '/usr/bin/firefox-esr'

/** The value of `network.cookie.cookieBehavior` that refuses every cookie. */
const REFUSE_COOKIES = 2

/** The reason why Firefox cannot run here; `undefined` when it can. */
export function firefoxMissing(): string | undefined {
  return existsSync(PATH) ? undefined : 'needs firefox-esr of Debian'
}

/** Starts Firefox, which is driven over WebDriver BiDi. */
export async function startFirefox(): Promise<Engine> {
  const browser = await launch({})
  return {
    async open({ blocksCookies } = {}) {
      if (!blocksCookies) return profileOf(await browser.createBrowserContext())
      const own = await launch({ 'network.cookie.cookieBehavior': REFUSE_COOKIES })
      return profileOf(own.defaultBrowserContext(), () => own.close())
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

function launch(preferences: Record<string, unknown>): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: PATH,
    headless: true,
    extraPrefsFirefox: preferences,
    protocolTimeout: WAIT_MILLISECONDS,
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
    back: async () => void (await page.goBack({ waitUntil: 'domcontentloaded' })),
    async forgetCookie(name) {
      const context = page.browserContext()
      const all = await context.cookies()
      await context.deleteCookie(...all.filter((cookie) => cookie.name === name))
    },
  }
}
