import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { accountPage, homePage } from '@latchkey/example-shared'
import { type AuthMiddlewareOptions, createAuth, getUser, requireUser } from '@latchkey/hono'
import { Hono } from 'hono'

/** The application, as a server of Node. Bun and Deno take `app.fetch` as it is. */
export function createApp(options: AuthMiddlewareOptions): Server {
  const app = new Hono()
    // Adds /login, /callback and /logout, and `c.var.auth` to every other request.
    .use(createAuth(options))
    .get('/', (c) => c.html(homePage('Hono', c.var.auth.user)))
    // Visitors who aren't logged in are sent to log in, then returned here.
    .get('/account', requireUser(), (c) =>
      c.html(accountPage('Hono', getUser(c), c.var.auth.session)),
    )
  return createAdaptorServer(app) as Server
}
