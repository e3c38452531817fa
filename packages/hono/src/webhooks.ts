import type { WebhookHandlerOptions } from '@latchkey/core'
import { createWebhookHandler as createCoreHandler } from '@latchkey/core/webhooks'
import type { Handler } from 'hono'

/**
 * Receives the webhooks of one endpoint of the service: verifies each, passes its event to
 * `onEvent`, and sends the response. Mount it as a route: `app.post('/webhooks',
 * createWebhookHandler(…))`.
 *
 * @throws {@link ConfigError} listing everything wrong with the options.
 */
export function createWebhookHandler(options: WebhookHandlerOptions): Handler {
  const handler = createCoreHandler(options)
  return async (c) => {
    const { raw, bodyCache } = c.req
    // Hono keeps what a middleware has read, as bytes or as text.
    return handler.fetch(raw, await (bodyCache.arrayBuffer ?? bodyCache.text))
  }
}
