import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { AuthOptions } from '@latchkey/express'
import type { Express } from 'express'
import { selfSigned } from '../../../../test/support/certificate.ts'
import { watchServer } from '../../../../test/support/leaks.ts'
import { type Site, startSite } from './site.ts'

/** An application on https under a name of its own, and another host of the same domain. */
export interface TlsSite extends Site {
  /** Where browsers reach the application. */
  readonly url: string
  /** Where it is served without TLS. */
  readonly served: string
  /** Where browsers reach the sibling host. */
  readonly sibling: string
  /** Arguments of a browser with which both names mean this machine. */
  readonly browserArguments: readonly string[]
}

const DOMAIN = 'latchkey.test'

/** Starts both on one loopback port; `siblingRoutes` answers the sibling host. */
export async function startTlsSite(
  routes: (app: Express) => void,
  siblingRoutes: Express,
  options: AuthOptions = {},
  before: (app: Express) => void = () => {},
): Promise<TlsSite> {
  const server = createServer(await selfSigned(`app.${DOMAIN}`, `sibling.${DOMAIN}`))
  watchServer(server as never)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `https://app.${DOMAIN}:${port}`
  const site = await startSite(routes, { baseUrl: url, ...options }, before)
  server.on('request', (req, res) => {
    const answer = req.headers.host?.startsWith('sibling.') ? siblingRoutes : site.app
    answer(req, res)
  })
  const close = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
    await site.close()
  }
  return {
    ...site,
    url,
    served: site.url,
    sibling: `https://sibling.${DOMAIN}:${port}`,
    browserArguments: [`--host-resolver-rules=MAP *.${DOMAIN} 127.0.0.1`],
    close,
    [Symbol.asyncDispose]: close,
  }
}
