import type { WebhookHandlerOptions } from '@latchkey/core'
import { createWebhookHandler as createCoreHandler } from '@latchkey/core/webhooks'
import type { Handler } from 'hono'

/**
 * Creates a handler for the webhooks of one endpoint of the service. It verifies each webhook,
 * passes the event to `onEvent`, and sends the response. Mount it as a route:
 * `app.post('/webhooks', createWebhookHandler(…))`.
 *
 * @throws {@link ConfigError} listing everything wrong with the options.
 */
export function createWebhookHandler(options: WebhookHandlerOptions): Handler {
  const handler = createCoreHandler(options)
  return async (c) => {
    const { raw, bodyCache } = c.req
    // If a middleware has read the body, Hono has cached it as bytes or as text.
    return handler.fetch(raw, await (bodyCache.arrayBuffer ?? bodyCache.text))
  }
}
