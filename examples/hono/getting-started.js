import { serve } from '@hono/node-server'
import { createAuth, getUser, requireUser } from '@latchkey/hono'
import { Hono } from 'hono'

const app = new Hono()
  // Adds /login, /callback and /logout, and `c.var.auth` to every other request.
  .use(createAuth())

  .get('/', (c) =>
    c.html(
      c.var.auth.isAuthenticated
        ? '<form method="post" action="/logout"><button>Log out</button></form>'
        : '<a href="/login">Log in</a>',
    ),
  )

  // Visitors who aren't logged in are sent to log in, then returned to this page.
  .get('/account', requireUser(), (c) => c.text(`Logged in as ${getUser(c).email}`))

serve({ fetch: app.fetch, port: 3000 }, () => console.log('Listening on http://localhost:3000'))
