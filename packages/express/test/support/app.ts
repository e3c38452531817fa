import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AuthOptions, createAuthRouter } from '@latchkey/express'
import type { Express } from 'express'
import { remember, watchServer } from '../../../../test/support/leaks.ts'
import { watchErrors, watchHooks, watchLog } from './errors.ts'
import { createApp, currentCombination } from './matrix.ts'
import { CLIENT, startProvider, type TestProvider } from './provider.ts'
import { openStore } from './stores.ts'

/** An application with a login, and the provider it logs in at. */
export interface TestApp {
  readonly url: string
  readonly app: Express
  readonly provider: TestProvider
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export const SESSION_SECRET = 'session-secret-0123456789-session-secret'

/** What an application of a test may change. */
export interface TestAppOptions extends Omit<AuthOptions, 'session'> {
  readonly session?: AuthOptions['session']
  /** More configuration of the provider. */
  readonly provider?: Parameters<typeof startProvider>[1]
  /** Middleware in front of the router. */
  readonly before?: (app: Express) => void
}

/** Starts an application and its provider on loopback ports, on the store and the Express of the test file. */
export async function startApp(
  routes: (app: Express) => void,
  { provider: providerOptions, before, ...options }: TestAppOptions = {},
): Promise<TestApp> {
  const app = createApp()
  const server = createServer(app)
  watchServer(server)
  const noteLast = watchErrors(app)
  remember('session secret', SESSION_SECRET)
  remember('client secret', CLIENT.clientSecret)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = await startProvider(
    [`${url}${options.routes?.callback ?? '/callback'}`],
    providerOptions,
  )
  before?.(app)
  const { store, close: closeStore } = await openStore(currentCombination().store)
  app.use(
    createAuthRouter({
      issuer: provider.issuer,
      baseUrl: url,
      logger: watchLog(),
      ...CLIENT,
      ...options,
      hooks: watchHooks(options.hooks),
      session: { secret: SESSION_SECRET, store, ...options.session },
    }),
  )
  routes(app)
  noteLast()
  const close = async (): Promise<void> => {
    await Promise.all([closeServer(server), provider.close()])
    await closeStore()
  }
  return { url, app, provider, close, [Symbol.asyncDispose]: close }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
