import type { WebhookHandlerOptions } from '@latchkey/core'
import { type NodeWebhookRequest, serveNodeWebhook } from '@latchkey/core/node'
import { createWebhookHandler as createCoreHandler } from '@latchkey/core/webhooks'
import type { KoaMiddleware } from './context.ts'

/**
 * Creates a handler for the webhooks of one endpoint of the service. It verifies each webhook,
 * passes the event to `onEvent`, and sends the response. Mount it as a route:
 * `router.post('/webhooks', createWebhookHandler(…))`.
 *
 * @throws {@link ConfigError} listing everything wrong with the options.
 */
export function createWebhookHandler(options: WebhookHandlerOptions): KoaMiddleware {
  const handler = createCoreHandler(options)
  return async ({ req, res, request }) => {
    // Body parsers store the text of the body as `rawBody` on Koa's own request.
    const { rawBody } = request as { readonly rawBody?: unknown }
    await serveNodeWebhook(handler, req as NodeWebhookRequest, res, rawBody)
  }
}
