import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

/** One window of a browser, as far as journeys need it. */
export interface Tab {
  open(url: string): Promise<void>
  click(selector: string): Promise<void>
  type(selector: string, text: string): Promise<void>
  /** The text of the first element that a selector names, once there is one. */
  text(selector: string): Promise<string>
  address(): Promise<string>
  back(): Promise<void>
  forgetCookie(name: string): Promise<void>
}

/** A browser that journeys run in. */
export interface Engine extends AsyncDisposable {
  newTab(): Promise<Tab>
}

const CALL_MILLISECONDS = 15_000
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
const DRIVER = '/usr/bin/WebKitWebDriver'

/** The reason why WebKit cannot run here; `undefined` when it can. */
export function webkitMissing(): string | undefined {
  const isThere = existsSync(DRIVER) && existsSync('/usr/bin/Xvfb') && miniBrowser() !== undefined
  return isThere ? undefined : 'needs webkit2gtk-driver and xvfb of Debian'
}

/** Starts WebKitGTK, the engine of Safari, on a display of its own; one tab at a time, and each is a browser of its own. */
export async function startWebkit(): Promise<Engine> {
  const display = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x900x24'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [number] = (await once(display.stdout, 'data')) as [Buffer]
  const port = await freePort()
  const driver = spawn(DRIVER, [`--port=${port}`], {
    stdio: 'ignore',
    env: {
      ...process.env,
      DISPLAY: `:${String(number).trim()}`,
      WEBKIT_DISABLE_COMPOSITING_MODE: '1',
    },
  })
  const address = `http://127.0.0.1:${port}`
  let session: string | undefined
  const end = async (): Promise<void> => {
    if (session) await call(session, 'DELETE', '')
    session = undefined
  }
  await until(async () => (await call(address, 'GET', '/status')) !== undefined)
  return {
    async newTab() {
      await end()
      const options = { binary: miniBrowser(), args: ['--automation'] }
      const asked = { alwaysMatch: { 'webkitgtk:browserOptions': options } }
      const { sessionId } = (await call(address, 'POST', '/session', { capabilities: asked })) as {
        sessionId: string
      }
      session = `${address}/session/${sessionId}`
      return tabOf(session)
    },
    async [Symbol.asyncDispose]() {
      await end().catch(() => {})
      driver.kill()
      display.kill()
    },
  }
}

function tabOf(session: string): Tab {
  const find = (selector: string): Promise<string> =>
    until(async () => {
      const found = await call(session, 'POST', '/element', {
        using: 'css selector',
        value: selector,
      })
      return (found as Record<string, string>)[ELEMENT]
    })
  return {
    open: async (url) => void (await call(session, 'POST', '/url', { url })),
    async click(selector) {
      await call(session, 'POST', `/element/${await find(selector)}/click`, {})
    },
    async type(selector, text) {
      await call(session, 'POST', `/element/${await find(selector)}/value`, { text })
    },
    // An element may go with its page between the two calls.
    text: (selector) =>
      until(
        async () =>
          call(session, 'GET', `/element/${await find(selector)}/text`) as Promise<string>,
      ),
    address: async () => (await call(session, 'GET', '/url')) as string,
    back: async () => void (await call(session, 'POST', '/back', {})),
    forgetCookie: async (name) => void (await call(session, 'DELETE', `/cookie/${name}`)),
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
    signal: AbortSignal.timeout(CALL_MILLISECONDS),
  })
  const { value } = (await answer.json()) as { value: unknown }
  if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value).slice(0, 300)}`)
  return value
}

/** Asks again until there is an answer, or the time of one call has passed. */
async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + CALL_MILLISECONDS
  for (;;) {
    try {
      const answer = await ask()
      if (answer !== undefined) return answer
    } catch (error) {
      if (Date.now() > end) throw error
    }
    if (Date.now() > end) throw new Error('There was no answer in time.')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

function miniBrowser(): string | undefined {
  return globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser')[0]
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}
