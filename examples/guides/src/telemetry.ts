import { type AuthOptions, createAuthRouter } from '@latchkey/express'
import * as telemetry from '@opentelemetry/api'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import express, { type Express } from 'express'

/** An application whose logins have spans. */
export function createTracedApp(connection: AuthOptions): Express {
  const app = express()

  // #region option
  app.use(createAuthRouter({ ...connection, telemetry }))
  // #endregion
  return app
}

// #region http
/** The query of a callback holds the code and the `state` of a login. */
export const httpInstrumentation = new HttpInstrumentation({
  startIncomingSpanHook: () => ({ 'url.query': '' }),
})
// #endregion
