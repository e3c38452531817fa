import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createIdentityService, type IdentityServiceOptions } from '@latchkey/service'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { startChromium } from '../pages/chromium.ts'

/** The password of every operator and user here. */
export const PASSWORD = 'correct horse battery'

/** A service with a console on a real socket, and a Chromium that reaches it. */
export async function serveConsole(options: IdentityServiceOptions = {}) {
  // The console's URL has the port in it, so the port comes first.
  let answer: RequestListener = (_request, response) => response.end()
  const server = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://console.localhost:${port}`
  const service = await createIdentityService({
    consoleUrl: url,
    allowHttpOnLoopback: true,
    allowDeveloperMode: true,
    ...options,
  })
  answer = service.handler
  const chromium = await startChromium()
  const { secret } = await service.admin.createApiKey({ name: 'Deployment', reach: 'all' })

  /** Calls the management API with a key for all tenants. */
  async function call(method: string, path: string, body?: unknown) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const answered = text === '' ? {} : JSON.parse(text)
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return answered
  }

  return {
    url,
    port,
    service,
    call,
    /** Opens a page of a browser of its own. */
    open: (context: BrowserContextOptions = {}): Promise<Page> => chromium.open(context),
    /** Invites an operator, who sets a password and logs in in the browser. */
    async logIn(
      page: Page,
      input: Parameters<typeof service.admin.inviteOperator>[0],
    ): Promise<string> {
      const { operator, token } = await service.admin.inviteOperator(input)
      await page.goto(`${url}/console/invitation?token=${token}`)
      await page.fill('#password', PASSWORD)
      await page.click('button')
      await page.fill('#email', input.email)
      await page.fill('#password', PASSWORD)
      await page.click('button[type=submit]')
      await page.waitForURL(`${url}/console`)
      return operator.id
    },
    async [Symbol.asyncDispose]() {
      await chromium[Symbol.asyncDispose]()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await service.close()
    },
  }
}

export type ServedConsole = Awaited<ReturnType<typeof serveConsole>>
