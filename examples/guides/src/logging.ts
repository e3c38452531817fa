import diagnostics from 'node:diagnostics_channel'
import { type AuthEvent, type AuthOptions, createAuthRouter } from '@latchkey/express'
import { metrics, trace } from '@opentelemetry/api'
import express, { type Express } from 'express'
import { type DestinationStream, pino } from 'pino'

/** An application that writes the lines of the kit with a pino of its own. */
export function createLoggingApp(connection: AuthOptions, destination: DestinationStream): Express {
  const app = express()

  // #region logger
  const logger = pino({ name: 'shop' }, destination)
  app.use(createAuthRouter({ ...connection, logger }))
  // #endregion
  return app
}

/** Counts the events of the kit with OpenTelemetry. */
export function countEvents(): void {
  // #region opentelemetry
  const counter = metrics.getMeter('shop').createCounter('latchkey.events')
  const names = ['login.succeeded', 'login.failed', 'access.refused', 'discovery.failed']

  for (const name of names) {
    diagnostics.subscribe(`latchkey:${name}`, (message) => {
      const { code = '', correlationId = '' } = message as AuthEvent
      counter.add(1, { name, code })
      // Subscribers run within the request, so its span is the active one.
      trace.getActiveSpan()?.addEvent(`latchkey ${name}`, { code, correlationId })
    })
  }
  // #endregion
}
