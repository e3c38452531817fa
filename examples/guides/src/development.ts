import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'

/** An application that is configured by the environment alone. */
export function createApp(): Express {
  // #region app
  const app = express()
  // In production, the environment names the provider; here it names the base URL alone.
  app.use(createAuthRouter())

  app.get('/', (req, res) => {
    res.type('text').send(req.auth.isAuthenticated ? `Hello ${getUser(req).name}` : 'Hello')
  })

  app.get('/admin', requireUser({ roles: ['admin'] }), (_req, res) => {
    res.type('text').send('For admins')
  })
  // #endregion
  return app
}
