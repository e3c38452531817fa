import type { IncomingHttpHeaders } from 'node:http'
import { bodyReadBefore, readStream } from '../http/body.ts'
import { type AuthRequest, publicUrl } from '../http/request.ts'

/**
 * A request of node:http or of the compatibility layer of node:http2. Frameworks add the parsed body, and
 * the URL as it was before their routers cut it.
 */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly readableEnded: boolean
  readonly originalUrl?: string
  readonly body?: unknown
}

/** What an adapter may add to a request. */
export interface NodeRequestDetails {
  /** What the body parser of the framework left. Default `request.body`. */
  readonly body?: unknown
  /** What the hook `onError` receives. Default `{ req, res }`. */
  readonly exchange?: unknown
}

/**
 * Presents a request of node:http to the core without copying it. Its URL is under the one given: the
 * `Host` header and forwarded headers are not read. When a proxy leaves out the path of `baseUrl`, it
 * is put back.
 *
 * @param baseUrl - `auth.baseUrl`.
 * @param response - The response to it, for the hook `onError`.
 */
export function toAuthRequest(
  request: NodeRequest,
  baseUrl: URL,
  details: NodeRequestDetails = NOTHING,
  response?: unknown,
): AuthRequest {
  return new NodeAuthRequest(request, baseUrl, details, response)
}

const NOTHING: NodeRequestDetails = {}

class NodeAuthRequest implements AuthRequest {
  readonly #request: NodeRequest
  readonly #baseUrl: URL
  readonly #details: NodeRequestDetails
  readonly #response: unknown
  #headers: AuthRequest['headers'] | undefined
  #url: string | undefined

  constructor(request: NodeRequest, baseUrl: URL, details: NodeRequestDetails, response: unknown) {
    this.#request = request
    this.#baseUrl = baseUrl
    this.#details = details
    this.#response = response
  }

  get exchange(): unknown {
    return this.#details.exchange ?? { req: this.#request, res: this.#response }
  }

  get headers(): AuthRequest['headers'] {
    this.#headers ??= new NodeHeaders(this.#request)
    return this.#headers
  }

  get method(): string {
    return this.#request.method ?? 'GET'
  }

  get url(): string {
    this.#url ??= publicUrl(this.#request.originalUrl ?? this.#request.url ?? '/', this.#baseUrl)
    return this.#url
  }

  text(): Promise<string> {
    const { body = this.#request.body } = this.#details
    return bodyText(this.#request, body)
  }
}

class NodeHeaders {
  readonly #request: NodeRequest

  constructor(request: NodeRequest) {
    this.#request = request
  }

  get(name: string): string | null {
    const value = this.#request.headers[name]
    if (value === undefined) return null
    return Array.isArray(value) ? value.join(', ') : value
  }
}

/** The body, also when a body parser of the framework has read it before. */
async function bodyText(request: NodeRequest, parsed: unknown): Promise<string> {
  if (typeof parsed === 'string') return parsed
  if (parsed instanceof Uint8Array) return Buffer.from(parsed).toString('utf8')
  if (!request.readableEnded) return readStream(request)
  if (parsed === undefined && hasBody(request)) throw bodyReadBefore()
  const entries = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []
  // A form has texts; what else a parser makes of names such as `state[a]` is none of ours.
  const pairs = entries.flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => typeof one === 'string')
      .map((one): [string, string] => [name, one]),
  )
  return new URLSearchParams(pairs).toString()
}

/** Whether the request was sent with a body (RFC 9112 §6). */
function hasBody({ headers }: NodeRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
