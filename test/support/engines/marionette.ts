import { existsSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { places, type Tab, until, WAIT_MILLISECONDS } from './engine.ts'

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** Firefox's own remote protocol, for what WebDriver BiDi has no command for: authenticators, and pages without scripts. */
export interface Marionette extends Disposable {
  ask(command: string, parameters?: object): Promise<unknown>
}

/** Preferences of a Firefox that is started with `--marionette`; it chooses its port. */
export const marionettePreferences = { 'marionette.port': 0 } as const

/** Connects to the Firefox whose profile is in a folder. */
export async function connectMarionette(folder: string): Promise<Marionette> {
  const file = join(folder, 'MarionetteActivePort')
  const port = await until('port of Firefox', async () =>
    existsSync(file) ? Number(readFileSync(file, 'utf8')) || undefined : undefined,
  )
  const socket = connect(port, '127.0.0.1')
  const answers = answersOf(socket)
  await answers.next()
  let asked = 0
  let last: Promise<unknown> = Promise.resolve()
  const askNow = async (command: string, parameters: object) => {
    const message = JSON.stringify([0, ++asked, command, parameters])
    socket.write(`${Buffer.byteLength(message)}:${message}`)
    const { value } = await answers.next()
    const [, , error, result] = value as [1, number, { message: string } | null, unknown]
    if (error) throw new Error(`${command}: ${error.message}`)
    return result
  }
  return {
    ask(command, parameters = {}) {
      last = last.catch(() => {}).then(() => askNow(command, parameters))
      return last
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}

/** What Firefox says: each message is its length in bytes, a colon, and JSON. */
async function* answersOf(socket: Socket): AsyncGenerator<unknown> {
  socket.setTimeout(WAIT_MILLISECONDS, () => socket.destroy(new Error('Firefox does not answer.')))
  let received = Buffer.alloc(0)
  for await (const part of socket) {
    received = Buffer.concat([received, part as Buffer])
    for (;;) {
      const start = received.indexOf(':') + 1
      const length = Number(received.subarray(0, Math.max(start - 1, 0)))
      if (start === 0 || received.length < start + length) break
      yield JSON.parse(String(received.subarray(start, start + length)))
      received = received.subarray(start + length)
    }
  }
}

/** The tab of a Firefox that is driven by its own protocol alone. */
export function tabOfMarionette({ ask }: Marionette): Tab {
  const find = (using: 'xpath' | 'css selector', value: string): Promise<string> =>
    until(value, async () => {
      const found = (await ask('WebDriver:FindElement', { using, value })) as Answer
      return (found.value as Record<string, string>)[ELEMENT]
    })
  return {
    open: async (url) => void (await ask('WebDriver:Navigate', { url })),
    async press(text) {
      await ask('WebDriver:ElementClick', { id: await find('xpath', places.pressable(text)) })
    },
    async fill(label, text) {
      const id = await find('xpath', places.field(label))
      await ask('WebDriver:ElementClear', { id })
      await ask('WebDriver:ElementSendKeys', { id, text })
    },
    async text() {
      const id = await find('css selector', 'body')
      return ((await ask('WebDriver:GetElementText', { id })) as Answer).value as string
    },
    address: async () => ((await ask('WebDriver:GetCurrentURL')) as Answer).value as string,
    async picture() {
      const { value } = (await ask('WebDriver:TakeScreenshot', { full: true })) as Answer
      return Buffer.from(value as string, 'base64')
    },
    back: async () => void (await ask('WebDriver:Back')),
    forgetCookie: async (name) => void (await ask('WebDriver:DeleteCookie', { name })),
  }
}

interface Answer {
  value: unknown
}
