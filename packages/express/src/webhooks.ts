import type { WebhookHandlerOptions } from '@latchkey/core'
import { serveNodeWebhook } from '@latchkey/core/node'
import { createWebhookHandler as createCoreHandler } from '@latchkey/core/webhooks'
import type { RequestHandler } from 'express'

/**
 * Creates a handler for the webhooks of one endpoint of the service. It verifies each webhook,
 * passes the event to `onEvent`, and sends the response. Mount it in front of `express.json()`:
 * `app.post('/webhooks', createWebhookHandler(…))`.
 *
 * @throws {@link ConfigError} listing everything wrong with the options.
 */
export function createWebhookHandler(options: WebhookHandlerOptions): RequestHandler {
  const handler = createCoreHandler(options)
  return (req, res, next) => {
    serveNodeWebhook(handler, req, res).catch(next)
  }
}
