import type { WebhookHandlerOptions } from '@latchkey/core'
import { rawBodyOf } from '@latchkey/core/node'
import { createWebhookHandler as createCoreHandler } from '@latchkey/core/webhooks'
import type { onRequestAsyncHookHandler, RouteHandlerMethod } from 'fastify'

/** The options of a route that receives webhooks. */
export interface WebhookRoute {
  readonly onRequest: onRequestAsyncHookHandler
  readonly handler: RouteHandlerMethod
}

/**
 * Creates a handler for the webhooks of one endpoint of the service. It verifies each webhook,
 * passes the event to `onEvent`, and sends the response. It returns the options of a route:
 * `app.post('/webhooks', createWebhookHandler(…))`. The route answers before any body parser.
 *
 * @throws {@link ConfigError} listing everything wrong with the options.
 */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookRoute {
  const handler = createCoreHandler(options)
  return {
    async onRequest({ method, headers, raw }, reply) {
      const { status, ...answer } = await handler.receive({
        method,
        headers: { get: (name) => [headers[name] ?? []].flat().join(', ') || null },
        body: () => rawBodyOf(raw),
      })
      return reply.code(status).headers(Object.fromEntries(answer.headers)).send(answer.body)
    },
    handler: async () => {},
  }
}
