import { button, card, facts, page, sessionFacts, verdict } from '@latchkey/example-shared'
import { type AuthOptions, createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'

const site = 'Express and Redis'

/** An application of which several processes run; the session store makes them one. */
export function createApp(auth: AuthOptions, processName: string): Express {
  const app = express()
  const router = createAuthRouter(auth)
  app.use((_req, res, next) => {
    // So that the next request comes over a new connection, which may reach another process.
    res.set('connection', 'close')
    next()
  })
  app.use(router)

  app.get('/', (req, res) => {
    const { isAuthenticated, user } = req.auth
    const who = isAuthenticated ? card(user) : '<p>You aren’t logged in.</p>'
    const answered = facts('This page', { 'answered by': processName })
    const link = '<p class="actions"><a class="button" href="/account">Your account</a></p>'
    res.send(page({ site, title: 'Four processes, one Redis', user, body: who + answered + link }))
  })

  app.get('/account', requireUser(), async (req, res) => {
    const user = getUser(req)
    const { session } = req.auth
    // The application's own data is in the same session.
    const data = req.session as unknown as { visits?: number }
    data.visits = (data.visits ?? 0) + 1
    const devices = await router.sessions.list(user.sub)
    const why = 'Every process finds your session in Redis.'
    const body = `${card(user)}${verdict('let in', why)}
      ${facts('This page', { 'answered by': processName, 'opened by you': data.visits })}
      ${sessionFacts(session)}
      <h2>Logged in on ${devices.length} ${devices.length === 1 ? 'device' : 'devices'}</h2>
      <div class="actions"><a class="button" href="/account">Reload</a>
      ${button('/elsewhere/logout', 'Log out everywhere else')}</div>`
    res.send(page({ site, title: 'Your account', user, body }))
  })

  app.post('/elsewhere/logout', requireUser(), async (req, res) => {
    const { session } = req.auth
    await router.sessions.revokeAll(getUser(req).sub, { except: session?.id ?? '' })
    res.redirect(303, '/account')
  })
  return app
}
