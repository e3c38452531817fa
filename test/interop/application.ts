import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AuthOptions, createAuthRouter, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'
import type { ApplicationUrls } from './candidate.ts'
import { close } from './servers.ts'

/** The application of a journey: plain Express with the kit. */
export interface Application extends AsyncDisposable {
  /** Where visitors find it. */
  readonly baseUrl: string
  readonly urls: ApplicationUrls
  /** The errors that the kit answered with, the latest last. */
  readonly errors: { readonly code: string; readonly message: string }[]
  /** Resolves when a logout token has ended sessions. */
  loggedOutByProvider(): Promise<void>
  /** Mounts the kit; called once the provider knows the application. */
  mount(options: AuthOptions): void
}

const SECRET = 'the session secret of the interoperability run'

/**
 * Starts an application that is not mounted yet: providers want to know its addresses first.
 *
 * @param isSecure - Whether visitors come over https, as through a proxy that ends TLS.
 */
export async function startApplication(isSecure = false): Promise<Application> {
  const app = express()
  app.set('env', 'test')
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const servedAt = `http://127.0.0.1:${port}`
  const baseUrl = isSecure ? 'https://app.example.com' : servedAt
  const errors: Application['errors'] = []
  const ended = Promise.withResolvers<void>()
  return {
    baseUrl,
    urls: {
      redirectUri: `${baseUrl}/callback`,
      postLogoutRedirectUri: `${baseUrl}/`,
      backchannelLogoutUri: `${baseUrl}/backchannel-logout`,
      servedAt,
    },
    errors,
    loggedOutByProvider: () => ended.promise,
    mount(options) {
      app.use(
        createAuthRouter({
          ...options,
          baseUrl,
          session: { secret: SECRET },
          hooks: {
            onError: (error) => void errors.push(error),
            onLogoutToken: ({ ended: count }) => {
              if (count > 0) ended.resolve()
            },
          },
        }),
      )
      addPages(app)
    },
    [Symbol.asyncDispose]: () => close(server),
  }
}

function addPages(app: Express): void {
  app.get('/', (req, res) => {
    const state = req.auth.isAuthenticated ? 'logged in' : 'logged out'
    res.send(`<main>${state}</main><form method="post" action="/logout"><button>Log out</button>`)
  })
  app.get('/profile', requireUser(), (req, res) => void res.json(req.auth.user))
  app.post('/refresh', requireUser({ respond: 'json' }), async (req, res) => {
    const before = await req.auth.accessToken()
    const after = await req.auth.accessToken({ force: true })
    res.json({ before: hash(before), after: hash(after) })
  })
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
