import { type AuthOptions, createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'

/** The server of a single-page application. */
export function createSinglePageApp(connection: AuthOptions): Express {
  // #region server
  const app = express()
  app.use(createAuthRouter(connection)) // adds GET /session beside the three routes

  app.use('/api', requireUser({ respond: 'json' }), express.json())
  app.get('/api/orders', (req, res) => {
    res.json({ orders: [], for: getUser(req).sub })
  })

  app.use(express.static('public')) // index.html and its scripts
  // #endregion
  return app
}
