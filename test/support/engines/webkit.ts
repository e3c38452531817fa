import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { freePort } from '../free-port.ts'
import { type Engine, places, type Settings, type Tab, until, WAIT_MILLISECONDS } from './engine.ts'

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
const DRIVER = '/usr/bin/WebKitWebDriver'

/** The reason why WebKit cannot run here; `undefined` when it can. */
export function webkitMissing(): string | undefined {
  const isThere = existsSync(DRIVER) && existsSync('/usr/bin/Xvfb') && miniBrowser() !== undefined
  return isThere ? undefined : 'needs webkit2gtk-driver and xvfb of Debian'
}

/** Starts WebKitGTK, the engine of Safari, on a display of its own. A driver has one profile, so each has a driver. */
export async function startWebkit(): Promise<Engine> {
  const display = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x900x24'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [number] = (await once(display.stdout, 'data')) as [Buffer]
  const env = {
    ...process.env,
    DISPLAY: `:${String(number).trim()}`,
    WEBKIT_DISABLE_COMPOSITING_MODE: '1',
  }
  return {
    async open(settings = {}) {
      const port = await freePort()
      const driver = spawn(DRIVER, [`--port=${port}`], { stdio: 'ignore', env })
      try {
        return await openSession(`http://127.0.0.1:${port}`, driver, settings)
      } catch (error) {
        driver.kill()
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      display.kill()
    },
  }
}

async function openSession(address: string, driver: ChildProcess, settings: Settings) {
  await until('driver', async () => (await call(address, 'GET', '/status')) ?? {})
  const args = [
    '--automation',
    '--enable-itp',
    ...(settings.blocksCookies ? ['--cookies-policy=never'] : []),
    ...(settings.blocksScripts ? ['--enable-javascript=false'] : []),
  ]
  const options = { 'webkitgtk:browserOptions': { binary: miniBrowser(), args } }
  const { sessionId } = (await call(address, 'POST', '/session', {
    capabilities: { alwaysMatch: options },
  })) as { sessionId: string }
  const session = `${address}/session/${sessionId}`
  const first = (await call(session, 'GET', '/window')) as string
  let isFirst = true
  return {
    async newTab() {
      if (isFirst) {
        isFirst = false
        return tabOf(session, first)
      }
      const made = await call(session, 'POST', '/window/new', { type: 'tab' })
      return tabOf(session, (made as { handle: string }).handle)
    },
    async [Symbol.asyncDispose]() {
      await call(session, 'DELETE', '').catch(() => {})
      driver.kill()
    },
  }
}

function tabOf(session: string, handle: string): Tab {
  /** Commands of a driver are for the tab that was chosen last. */
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    await call(session, 'POST', '/window', { handle })
    return call(session, method, path, body)
  }
  const find = (using: 'xpath' | 'css selector', value: string): Promise<string> =>
    until(value, async () => {
      const found = await ask('POST', '/element', { using, value })
      return (found as Record<string, string>)[ELEMENT]
    })
  return {
    open: async (url) => void (await ask('POST', '/url', { url })),
    async press(text) {
      const found = await find('xpath', places.pressable(text))
      await ask('POST', `/element/${found}/click`, {})
    },
    async fill(label, text) {
      const found = await find('xpath', places.field(label))
      await ask('POST', `/element/${found}/clear`, {})
      await ask('POST', `/element/${found}/value`, { text })
    },
    async text() {
      const body = await find('css selector', 'body')
      return (await ask('GET', `/element/${body}/text`)) as string
    },
    address: async () => (await ask('GET', '/url')) as string,
    picture: async () => Buffer.from((await ask('GET', '/screenshot')) as string, 'base64'),
    back: async () => void (await ask('POST', '/back', {})),
    forgetCookie: async (name) => void (await ask('DELETE', `/cookie/${name}`)),
  }
}

async function call(
  session: string,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const answer = await fetch(session + path, {
    method,
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(WAIT_MILLISECONDS),
  })
  const { value } = (await answer.json()) as { value: unknown }
  if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value).slice(0, 300)}`)
  return value
}

function miniBrowser(): string | undefined {
  return globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser')[0]
}
