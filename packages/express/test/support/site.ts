import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AuthOptions, type AuthRouter, createAuthRouter } from '@latchkey/express'
import {
  type MisbehavingProvider,
  type MisbehavingProviderOptions,
  startMisbehavingProvider,
} from '@latchkey/testing/misbehaving-provider'
import type { Express } from 'express'
import { remember, watchServer } from '../../../../test/support/leaks.ts'
import { SESSION_SECRET } from './app.ts'
import { type LogLine, watchErrors, watchHooks, watchLog } from './errors.ts'
import { createApp, currentCombination } from './matrix.ts'
import { openStore } from './stores.ts'

/** An application whose provider does wrong on demand. */
export interface Site {
  readonly url: string
  readonly app: Express
  readonly server: Server
  readonly router: AuthRouter
  readonly provider: MisbehavingProvider
  /** What the kit logged, unless the options bring a logger. */
  readonly log: LogLine[]
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts one on loopback ports, on the store and the Express of the test file. Its routes are added
 * before it is asked anything.
 */
export async function startSite(
  routes: (app: Express) => void = () => {},
  options: AuthOptions = {},
  before: (app: Express) => void = () => {},
  providerOptions: MisbehavingProviderOptions = {},
): Promise<Site> {
  const provider = await startMisbehavingProvider(providerOptions)
  const app = createApp()
  app.set('env', 'test')
  const server = createServer(app)
  watchServer(server)
  const noteLast = watchErrors(app)
  remember('session secret', SESSION_SECRET)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  before(app)
  const log: LogLine[] = []
  const { store, close: closeStore } = await openStore(currentCombination().store)
  const router = createAuthRouter({
    issuer: provider.issuer,
    clientId: provider.clientId,
    clientSecret: provider.clientSecret,
    baseUrl: url,
    logger: watchLog(log),
    ...(providerOptions.issuer ? { fetch: provider.fetch } : {}),
    ...options,
    hooks: watchHooks(options.hooks),
    session: { secret: SESSION_SECRET, store, ...options.session },
  })
  app.use(router)
  routes(app)
  noteLast()
  const close = async (): Promise<void> => {
    remember('token', ...provider.secrets)
    await Promise.all([closeServer(server), provider.close()])
    await closeStore()
  }
  return { url, app, server, router, provider, log, close, [Symbol.asyncDispose]: close }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
