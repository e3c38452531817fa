import { type AuthOptions, type AuthRouter, createAuthRouter } from '@latchkey/express'
import { createSessionStore } from '@latchkey/session-store'
import express, { type Express } from 'express'

/** An application that is ready for several processes behind a proxy. */
export function createDeployedApp(connection: AuthOptions): Express {
  // #region app
  const app = express()

  const store = createSessionStore({ url: process.env.REDIS_URL })
  const auth = createAuthRouter({ ...connection, session: { ...connection.session, store } })
  addProbes(app, auth) // in front of the router: a probe needs no session
  app.use(auth)
  // #endregion
  return app
}

// #region probes
function addProbes(app: Express, auth: AuthRouter): void {
  app.get('/livez', (_req, res) => {
    res.send('ok')
  })
  app.get('/readyz', async (_req, res) => {
    const isReady = await auth.ready().then(
      () => true,
      () => false,
    )
    res.sendStatus(isReady ? 200 : 503)
  })
}
// #endregion
