import { type AuthOptions, createAuthRouter, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'

/** The smallest application with something to protect. */
export function createApp(options: AuthOptions): Express {
  const app = express()
  app.use(createAuthRouter(options))
  app.get('/', (req, res) => {
    res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.name}` : 'out')
  })
  app.get('/account', requireUser(), (req, res) => {
    res.json(req.auth.user)
  })
  return app
}
