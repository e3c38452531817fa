import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createIdentityService,
  type IdentityService,
  type IdentityServiceOptions,
  type OperatorInput,
} from '@latchkey/service'
import { type Browser, createBrowser, type Page } from '../issuer/support/browser.ts'

/** Where the console of the tests is. */
export const CONSOLE = 'https://console.example'

const PASSWORD = 'correct horse battery'

/** A browser of an operator. */
export interface OperatorBrowser extends Browser {
  id: string
  /** The overview, as it was after the login. */
  landed: Page
}

/** A service with a console, and operators who log in to it. */
export interface ConsoleService extends AsyncDisposable {
  service: IdentityService
  /** A browser whose requests come from the console's own pages. */
  open(): Browser
  /** Invites an operator, who sets a password and logs in. */
  logIn(input: OperatorInput & { email?: string }): Promise<OperatorBrowser>
}

/** Starts a service with a console, in memory. */
export async function startConsole(options: IdentityServiceOptions = {}): Promise<ConsoleService> {
  const service = await createIdentityService({ consoleUrl: CONSOLE, ...options })
  const open = () => {
    const browser = createBrowser({ url: CONSOLE, fetch: service.fetch as never })
    Object.assign(browser.headers, {
      'sec-fetch-site': 'same-origin',
      'sec-fetch-mode': 'navigate',
    })
    return browser
  }
  return {
    service,
    open,
    async logIn({ email = `${input()}@example.com`, ...given }) {
      const { operator, token } = await service.admin.inviteOperator({ email, ...given })
      const browser = open()
      const invited = await browser.get(`/console/invitation?token=${token}`)
      const form = await browser.submit(invited, { password: PASSWORD })
      const landed = await browser.submit(form, { email, password: PASSWORD })
      return Object.assign(browser, { id: operator.id, landed })
    },
    [Symbol.asyncDispose]: () => service.close(),
  }
}

/** As {@link startConsole}, with the data in memory or in a folder that goes with the service. */
export async function startConsoleOn(store: 'memory' | 'SQLite'): Promise<ConsoleService> {
  if (store === 'memory') return startConsole()
  const data = mkdtempSync(join(tmpdir(), 'latchkey-console-'))
  const running = await startConsole({ data })
  return {
    ...running,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]()
      rmSync(data, { recursive: true })
    },
  }
}

let made = 0
function input(): string {
  made++
  return `operator-${made}`
}
