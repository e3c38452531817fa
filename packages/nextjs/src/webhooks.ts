import { createMemoryStore, type SessionStore, type WebhookHandlerOptions } from '@latchkey/core'
import { createWebhookHandler as createCoreHandler } from '@latchkey/core/webhooks'

const MEMORY = Symbol.for('latchkey.nextjs.webhooks')

/**
 * Receives the webhooks of one endpoint of the service: verifies each, hands its event to `onEvent` and
 * answers. Export it from a route: `export const POST = createWebhookHandler(…)` in
 * `app/webhooks/route.ts`. The options are looked at with the first request, never by `next build`: a
 * {@link ConfigError} that lists everything wrong with them ends that request.
 *
 * @param options - The options, or a function that makes them with the first request.
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

/** The memory of the process: Next.js loads a route again at each change while it is developed. */
function sharedMemory(): SessionStore {
  const shared = globalThis as { [MEMORY]?: SessionStore }
  shared[MEMORY] ??= createMemoryStore()
  return shared[MEMORY]
}
