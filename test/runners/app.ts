import { type AuthOptions, createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'

/** The application whose users the suites of all runners log in. */
export function createApp(auth: AuthOptions): Express {
  const app = express()
  app.use(createAuthRouter(auth))
  app.get('/account', requireUser(), (req, res) => {
    res.send(`Hello ${getUser(req).name}`)
  })
  return app
}
