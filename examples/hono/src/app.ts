import { accountPage, homePage } from '@latchkey/example-shared'
import { type AuthOptions, createAuth, getUser, requireUser } from '@latchkey/hono'
import { Hono } from 'hono'

export function createApp(options: AuthOptions): Pick<Hono, 'fetch'> {
  return (
    new Hono()
      // Adds /login, /callback and /logout, and `c.var.auth` to every other request.
      .use(createAuth(options))
      .get('/', (c) => c.html(homePage('Hono', c.var.auth.user)))
      // Visitors who aren't logged in are sent to log in, then returned here.
      .get('/account', requireUser(), (c) =>
        c.html(accountPage('Hono', getUser(c), c.var.auth.session)),
      )
  )
}
