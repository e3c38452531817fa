import { type AuthRouterOptions, createAuthRouter, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'

/** The application whose users the suites of all runners sign in. */
export function createApp(auth: AuthRouterOptions): Express {
  const app = express()
  app.use(createAuthRouter(auth))
  app.get('/account', requireUser(), (req, res) => {
    res.send(`Hello ${req.auth.user.name}`)
  })
  return app
}
