import type { WebhookHandlerOptions } from '@latchkey/core'
import { type NodeWebhookRequest, serveNodeWebhook } from '@latchkey/core/node'
import { createWebhookHandler as createCoreHandler } from '@latchkey/core/webhooks'
import type { KoaMiddleware } from './context.ts'

/**
 * Receives the webhooks of one endpoint of the service: verifies each, passes its event to
 * `onEvent`, and sends the response. Mount it as a route: `router.post('/webhooks',
 * createWebhookHandler(…))`.
 *
 * @throws {@link ConfigError} listing everything wrong with the options.
 */
export function createWebhookHandler(options: WebhookHandlerOptions): KoaMiddleware {
  const handler = createCoreHandler(options)
  return async ({ req, res, request }) => {
    // Parsers of Koa keep the text of the body on its own request.
    const { rawBody } = request as { readonly rawBody?: unknown }
    await serveNodeWebhook(handler, req as NodeWebhookRequest, res, rawBody)
  }
}
