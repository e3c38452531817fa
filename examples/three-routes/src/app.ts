import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express from 'express'
import { accountPage, homePage } from './pages.ts'

export const app = express()

// Adds /login, /callback and /logout, and `req.auth` to every other request.
app.use(
  createAuthRouter({
    issuer: process.env.LATCHKEY_ISSUER,
    clientId: process.env.LATCHKEY_CLIENT_ID,
    clientSecret: process.env.LATCHKEY_CLIENT_SECRET,
    baseUrl: process.env.LATCHKEY_BASE_URL,
    session: { secret: process.env.LATCHKEY_SESSION_SECRET },
  }),
)

app.get('/', (req, res) => {
  res.send(homePage(req.auth))
})

// Visitors who aren't logged in are sent to log in, then returned here.
app.get('/account', requireUser(), (req, res) => {
  res.send(accountPage(getUser(req), req.auth.session))
})
