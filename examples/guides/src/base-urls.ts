import { type AuthOptions, createAuthRouter, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'

/** A site with several domains, and an address of its own for each preview deployment. */
export function createApp(connection: AuthOptions): Express {
  const app = express()
  // #region list
  const baseUrl = ['https://app.example.com', 'https://app.example.org']
  if (process.env.PREVIEW_URL) baseUrl.push(process.env.PREVIEW_URL)
  app.use(createAuthRouter({ ...connection, baseUrl }))
  // #endregion
  app.get('/account', requireUser(), (_req, res) => void res.send('account'))
  return app
}
