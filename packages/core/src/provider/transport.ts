import { ProviderError } from '../errors/errors.ts'
import type { Telemetry } from '../shared/telemetry.ts'

/** A request to a provider. */
export interface ProviderRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /**
   * The seconds for the whole exchange, including the body. After that, the transport rejects with
   * a `TimeoutError`.
   */
  readonly timeoutSeconds: number
  /** The most bytes of the response body that are read. */
  readonly maxBytes: number
  /** Aborts the exchange. */
  readonly signal?: AbortSignal | undefined
}

/** The whole response of a provider. */
export interface ProviderAnswer {
  readonly status: number
  readonly headers: [name: string, value: string][]
  /**
   * The body; `undefined` if it was larger than `maxBytes`, or was not read after a server error.
   */
  readonly body: string | undefined
}

/**
 * Sends a request to a provider. A transport must not follow redirects, and must reject if the
 * provider does not answer.
 */
export type ProviderTransport = (url: string, request: ProviderRequest) => Promise<ProviderAnswer>

/**
 * One request to a provider. `timeoutSeconds` replaces the configured limit, and must not exceed
 * it.
 */
export type ProviderInit = Partial<
  Pick<ProviderRequest, 'method' | 'headers' | 'body' | 'timeoutSeconds'>
>

/**
 * Sends a request to the provider. The exchange is limited in time and size, and redirects are not
 * followed.
 */
export type ProviderFetch = (
  url: string,
  init?: ProviderInit,
) => Promise<ProviderAnswer & { readonly body: string }>

/** The limits of exchanges with a provider. */
export interface ProviderFetchLimits {
  /** Seconds for a whole exchange, body included. */
  readonly timeoutSeconds: number
  /** The largest body that is read, in bytes. */
  readonly maxBytes: number
}

/**
 * Limits a transport. A server error, a rate limit, a body that is too large and an exchange that
 * takes too long all count as an unavailable provider.
 *
 * @throws {@link ProviderError} with `LATCHKEY_PROVIDER_UNAVAILABLE`; its message names the origin
 *   and the path, never a query or a body.
 */
export function createProviderFetch(
  transport: ProviderTransport,
  { timeoutSeconds: most, maxBytes }: ProviderFetchLimits,
): ProviderFetch {
  return async (url, { method = 'GET', headers = {}, body: sent, timeoutSeconds = most } = {}) => {
    const request = { method, headers, body: sent, timeoutSeconds, maxBytes }
    try {
      const answer = await transport(url, request)
      const { status, body } = answer
      if (status >= 500) throw unavailable(url, `answered with status ${status}.`)
      if (status === 429) throw unavailable(url, tooMany(answer))
      if (body === undefined) throw unavailable(url, `sent more than ${maxBytes} bytes.`)
      return { status: status === 0 ? 302 : status, headers: answer.headers, body }
    } catch (cause) {
      if (cause instanceof ProviderError) throw cause
      const isLate = (cause as Error | undefined)?.name === 'TimeoutError'
      const reason = isLate
        ? `took longer than ${Math.round(timeoutSeconds * 10) / 10} s`
        : 'did not answer'
      throw unavailable(url, `${reason}.`, cause)
    }
  }
}

/** Adds a span to each exchange of a transport. */
export function tracedTransport(
  transport: ProviderTransport,
  { exchange }: Telemetry,
): ProviderTransport {
  return (url, request) => exchange(request.method, url, () => transport(url, request))
}

/** A transport over the `fetch` of the options. */
export function transportOver(fetch: typeof globalThis.fetch): ProviderTransport {
  return async (url, { method, headers, body, timeoutSeconds, maxBytes }) => {
    const signal = AbortSignal.timeout(Math.ceil(timeoutSeconds * 1000))
    const init = { method, headers, redirect: 'manual' as const, signal }
    const read = async (): Promise<ProviderAnswer> => {
      const response = await fetch(url, body === undefined ? init : { ...init, body })
      if (response.status >= 500) await response.body?.cancel()
      const text = response.status >= 500 ? undefined : await readBody(response, maxBytes)
      return { status: response.status, headers: [...response.headers], body: text }
    }
    // The race ends the wait even if `fetch` ignores its signal.
    return Promise.race([read(), aborted(signal)])
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** The body, or `undefined` when it is larger than allowed. */
async function readBody(response: Response, maxBytes: number): Promise<string | undefined> {
  if (!response.body) return ''
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  const reader = response.body.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length
    if (size > maxBytes) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(part.value, { stream: true })
  }
  return text + decoder.decode()
}

/** The sentence about a rate limit, with the time of `Retry-After` (RFC 9110 §10.2.3). */
function tooMany({ headers }: ProviderAnswer): string {
  const [, given = ''] = headers.find(([name]) => name.toLowerCase() === 'retry-after') ?? []
  const when = /^\d{1,6}$/.test(given) ? ` It takes requests again in ${given} s.` : ''
  return `answered with status 429: too many requests.${when}`
}

function unavailable(url: string, what: string, error?: unknown): ProviderError {
  const { origin, pathname } = new URL(url)
  const cause = networkCause(error)
  const message = `${origin}${pathname} ${what}`
  return new ProviderError('LATCHKEY_PROVIDER_UNAVAILABLE', message, cause ? { cause } : {})
}

/**
 * The cause of a network failure, reduced to its code and message. The error itself is dropped,
 * because errors of HTTP parsers contain the received bytes, which may include tokens.
 */
function networkCause(error: unknown): Error | undefined {
  let found: { readonly code: string; readonly message: string } | undefined
  for (let one = error; one instanceof Error; one = one.cause) {
    const { code, message } = one as Error & { code?: unknown }
    if (typeof code === 'string') found = { code, message }
  }
  return found && Object.assign(new Error(found.message || found.code), { code: found.code })
}
