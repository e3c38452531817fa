import { createMemoryStore, type SessionStore, type WebhookHandlerOptions } from '@latchkey/core'
import { createWebhookHandler as createCoreHandler } from '@latchkey/core/webhooks'

const MEMORY = Symbol.for('latchkey.nextjs.webhooks')

/**
 * Creates a handler for the webhooks of one endpoint of the service. It verifies each webhook,
 * passes the event to `onEvent`, and sends the response. Export it from a route: `export const POST
 * = createWebhookHandler(…)` in `app/webhooks/route.ts`. The options are checked at the first
 * request, not by `next build`: a {@link ConfigError} that lists all faults then fails the request.
 *
 * @param options - The options, or a function that returns them at the first request.
 */
export function createWebhookHandler(
  options: WebhookHandlerOptions | (() => WebhookHandlerOptions),
): (request: Request) => Promise<Response> {
  let fetch: ((request: Request) => Promise<Response>) | undefined
  return async (request) => {
    if (!fetch) {
      const made = typeof options === 'function' ? options() : options
      fetch = createCoreHandler({ ...made, store: made.store ?? sharedMemory() }).fetch
    }
    return fetch(request)
  }
}

/**
 * A store in memory that the whole process shares, because Next.js loads a route again at each
 * change during development.
 */
function sharedMemory(): SessionStore {
  const shared = globalThis as { [MEMORY]?: SessionStore }
  shared[MEMORY] ??= createMemoryStore()
  return shared[MEMORY]
}
