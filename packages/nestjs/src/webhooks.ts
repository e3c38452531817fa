import type { WebhookHandlerOptions } from '@latchkey/core'
import { type NodeResponse, type NodeWebhookRequest, serveNodeWebhook } from '@latchkey/core/node'
import { createWebhookHandler as createCoreHandler } from '@latchkey/core/webhooks'

/** A middleware for `app.use()`, on Express and on Fastify. */
export type WebhookMiddleware = (
  request: NodeWebhookRequest,
  response: NodeResponse,
  next: (error?: unknown) => void,
) => void

/**
 * Creates a handler for the webhooks of one endpoint of the service. It verifies each webhook,
 * passes the event to `onEvent`, and sends the response. Mount it in `main.ts`, before the body
 * parser of Nest: `app.use('/webhooks', createWebhookHandler(…))`. Get the providers that `onEvent`
 * needs with `app.get(UsersService)`.
 *
 * @throws {@link ConfigError} listing everything wrong with the options.
 */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookMiddleware {
  const handler = createCoreHandler(options)
  return (request, response, next) => {
    serveNodeWebhook(handler, request, response).catch(next)
  }
}
