import { ProviderError } from './errors.ts'

/** How far a provider is trusted to behave. */
export interface ProviderFetchLimits {
  /** Seconds for a whole exchange, body included. */
  readonly timeoutSeconds: number
  /** The largest body that is read. */
  readonly maxBytes: number
}

/** A `fetch` without its pitfalls: bounded in time and size, never redirected, the body in memory. */
export type ProviderFetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * Limits a `fetch`. A server error, a body that is too large and an exchange that takes too long are
 * all a provider that is unavailable.
 *
 * @throws {@link ProviderError} with `LATCHKEY_PROVIDER_UNAVAILABLE`; its message names the origin
 *   and the path, never a query or a body.
 */
export function createProviderFetch(
  fetch: typeof globalThis.fetch,
  limits: ProviderFetchLimits,
): ProviderFetch {
  return async (url, init) => {
    const where = `${new URL(url).origin}${new URL(url).pathname}`
    const signal = AbortSignal.timeout(limits.timeoutSeconds * 1000)
    try {
      const response = await fetch(url, { ...init, redirect: 'manual', signal })
      if (response.status >= 500) {
        await response.body?.cancel()
        throw unavailable(`${where} answered with status ${response.status}.`)
      }
      const body = await readBody(response, limits.maxBytes)
      if (!body) throw unavailable(`${where} sent more than ${limits.maxBytes} bytes.`)
      return new Response(body.length > 0 && canHaveBody(response.status) ? body : null, {
        status: response.status === 0 ? 302 : response.status,
        headers: response.headers,
      })
    } catch (cause) {
      if (cause instanceof ProviderError) throw cause
      const reason = signal.aborted
        ? `took longer than ${limits.timeoutSeconds} s`
        : 'did not answer'
      throw unavailable(`${where} ${reason}.`, cause)
    }
  }
}

/** The body, or `undefined` when it is larger than allowed. */
async function readBody(
  response: Response,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  if (response.body) {
    const reader = response.body.getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.length
      if (size > maxBytes) {
        await reader.cancel()
        return undefined
      }
      chunks.push(part.value)
    }
  }
  const [only] = chunks
  if (only && chunks.length === 1) return only as Uint8Array<ArrayBuffer>
  const whole = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}

function canHaveBody(status: number): boolean {
  return status !== 204 && status !== 205 && status !== 304
}

function unavailable(message: string, error?: unknown): ProviderError {
  const cause = networkCause(error)
  return new ProviderError('LATCHKEY_PROVIDER_UNAVAILABLE', message, cause ? { cause } : {})
}

/**
 * What failed on the network, as its code and message alone. The error itself stays behind: those of
 * HTTP parsers carry what was received, tokens included.
 */
function networkCause(error: unknown): Error | undefined {
  let found: { readonly code: string; readonly message: string } | undefined
  for (let one = error; one instanceof Error; one = one.cause) {
    const { code, message } = one as Error & { code?: unknown }
    if (typeof code === 'string') found = { code, message }
  }
  return found && Object.assign(new Error(found.message || found.code), { code: found.code })
}
