import { card, page, sessionFacts } from '@latchkey/example-shared'
import { createAuthRouter, requireUser } from '@latchkey/express'
import express from 'express'

const site = 'Plain JavaScript'

/**
 * The three routes in plain JavaScript; editors check it by this line.
 *
 * @param {import('@latchkey/express').AuthOptions} auth
 */
export function createApp(auth) {
  const app = express()

  // Adds /login, /callback and /logout, and `req.auth` to every other request.
  app.use(createAuthRouter(auth))

  app.get('/', (req, res) => {
    const { isAuthenticated, user } = req.auth
    const body = isAuthenticated ? card(user) : '<p>You aren’t logged in.</p>'
    const link = '<p class="actions"><a class="button" href="/account">Your account</a></p>'
    res.send(page({ site, title: 'Three routes', user, body: body + link }))
  })

  app.get('/account', requireUser(), (req, res) => {
    const { user, session } = req.auth
    res.send(page({ site, title: 'Your account', user, body: card(user) + sessionFacts(session) }))
  })
  return app
}
