import type { IncomingHttpHeaders } from 'node:http'
import { bodyReadBefore, formText, readStream } from '../http/body.ts'
import { type AuthRequest, publicUrl, type RequestDetails } from '../http/request.ts'

/**
 * A request of node:http or of the compatibility layer of node:http2. Frameworks add `body`, the
 * parsed body, and `originalUrl`, the URL before a router shortened it.
 */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly readableEnded: boolean
  readonly originalUrl?: string
  readonly body?: unknown
  readonly socket?: Closing
}

/** A socket or a response. */
interface Closing {
  readonly destroyed?: boolean
  readonly closed?: boolean
  once(event: 'close' | 'error', listener: () => void): unknown
}

/**
 * Presents a request of node:http to the kit without copying it. Its URL is below `baseUrl`: the
 * `Host` header and forwarded headers do not change the URL. If a proxy has removed the path of
 * `baseUrl`, it is added again.
 *
 * @param baseUrl - `auth.baseUrl`.
 * @param response - The response to this request.
 */
export function toAuthRequest(
  request: NodeRequest,
  baseUrl: URL,
  details: RequestDetails = NOTHING,
  response?: unknown,
): AuthRequest {
  return new NodeAuthRequest(request, baseUrl, details, response)
}

const NOTHING: RequestDetails = {}

class NodeAuthRequest implements AuthRequest {
  readonly #request: NodeRequest
  readonly #baseUrl: URL
  readonly #details: RequestDetails
  readonly #response: unknown
  #headers: AuthRequest['headers'] | undefined
  #url: string | undefined

  constructor(request: NodeRequest, baseUrl: URL, details: RequestDetails, response: unknown) {
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

  /**
   * Calls `close` when the response is closed. On a keep-alive connection, each request has a
   * response of its own.
   */
  onClose(close: () => void): void {
    const closing = (this.#response as Closing | undefined) ?? this.#request.socket
    if (closing?.destroyed || closing?.closed) close()
    else closing?.once('close', close)
  }

  async text(): Promise<string> {
    const { body = this.#request.body } = this.#details
    return bodyText(this.#request, await body)
  }
}

/** The headers of a request of node:http. Repeated headers are joined by commas. */
export class NodeHeaders {
  readonly #request: NodeRequest

  constructor(request: NodeRequest) {
    this.#request = request
  }

  get(name: string): string | null {
    const { headers } = this.#request
    const value = headers[name] ?? headers[name.toLowerCase()]
    if (value === undefined) return null
    return Array.isArray(value) ? value.join(', ') : value
  }
}

/** The body as text, even if a body parser of the framework has read it. */
async function bodyText(request: NodeRequest, parsed: unknown): Promise<string> {
  if (typeof parsed === 'string' || parsed instanceof Uint8Array) return formText(parsed)
  if (!request.readableEnded) return readStream(request)
  if (parsed === undefined && hasBody(request)) throw bodyReadBefore()
  return formText(parsed)
}

/** Whether the request was sent with a body (RFC 9112 §6). */
function hasBody({ headers }: NodeRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
