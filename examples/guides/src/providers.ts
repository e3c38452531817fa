import { createAuthRouter } from '@latchkey/express'
import express, { type Express } from 'express'
import { google } from './providers/google.ts'

// The options of createAuthRouter() for well-known providers are in the folder beside this file. The pages in
// docs/providers quote them, and test/vendors.test.ts logs in with them.

/** An application whose users log in at Google. */
export function createApp(): Express {
  const app = express()
  // #region use
  app.use(createAuthRouter(google)) // the options of Google's page
  // #endregion
  return app
}
