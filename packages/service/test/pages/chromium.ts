import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { launchChromium } from '../../../../test/support/chromium.ts'

/** Starts the Chromium of this machine, with further switches. */
export async function startChromium(args: string[] = []) {
  const browser = await launchChromium(args)

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
