import type { ProviderTransport } from '@latchkey/core'

/** A transport of the kit as a `fetch`, for tests that send a request of their own. */
export function fetchOver(transport: ProviderTransport): typeof fetch {
  return async (input, init = {}) => {
    const { status, headers, body } = await transport(String(input), {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      body: init.body === undefined || init.body === null ? undefined : String(init.body),
      signal: init.signal ?? undefined,
      timeoutSeconds: 60,
      maxBytes: 2 ** 20,
    })
    return new Response(body ? body : null, { status, headers })
  }
}
