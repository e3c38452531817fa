import { type AuthOptions, createAuthRouter, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'

/** A public site that greets users who are logged in elsewhere at the same provider. */
export function createApp(connection: AuthOptions): Express {
  // #region silent
  const app = express()
  app.use(express.static('public')) // in front of the login: files are for everybody
  app.use(createAuthRouter({ ...connection, silentLogin: true, returnTo: { default: '/start' } }))

  app.get(['/', '/start'], (req, res) => {
    res.type('text').send(req.auth.isAuthenticated ? `Hello ${req.auth.user.sub}` : 'Hello')
  })
  // #endregion

  // #region page
  app.get('/members', requireUser({ respond: 'page' }), (_req, res) => {
    res.type('text').send('For members')
  })
  // #endregion
  return app
}
