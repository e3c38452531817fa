import type { IncomingMessage, ServerResponse } from 'node:http'
import { bodyReadBefore, readStream } from '../http/body.ts'
import { type AuthRequest, publicUrl } from '../http/request.ts'

/** A request of node:http; frameworks add the parsed body and the URL before their routers cut it. */
export interface NodeRequest extends IncomingMessage {
  readonly originalUrl?: string
  readonly body?: unknown
}

/**
 * Presents a request of node:http to the core without copying it. Its URL is under the one given: the
 * `Host` header and forwarded headers are not read. When a proxy leaves out the path of `baseUrl`, it
 * is put back.
 *
 * @param baseUrl - `auth.options.baseUrl.href`.
 * @param response - The response to it; the hook `onError` receives both as `{ req, res }`.
 */
export function toAuthRequest(
  request: NodeRequest,
  baseUrl: string,
  response?: ServerResponse,
): AuthRequest {
  return new NodeAuthRequest(request, baseUrl, response)
}

class NodeAuthRequest implements AuthRequest {
  readonly #request: NodeRequest
  readonly #baseUrl: string
  readonly #response: ServerResponse | undefined

  constructor(request: NodeRequest, baseUrl: string, response: ServerResponse | undefined) {
    this.#request = request
    this.#baseUrl = baseUrl.endsWith('/') ? baseUrl.slice(0, -1) : baseUrl
    this.#response = response
  }

  get exchange(): { req: NodeRequest; res: ServerResponse | undefined } {
    return { req: this.#request, res: this.#response }
  }

  get headers(): AuthRequest['headers'] {
    return { get: (name) => headerOf(this.#request, name) }
  }

  get method(): string {
    return this.#request.method ?? 'GET'
  }

  get url(): string {
    const path = this.#request.originalUrl ?? this.#request.url ?? '/'
    return publicUrl(path.startsWith('/') ? path : `/${path}`, this.#baseUrl)
  }

  text(): Promise<string> {
    return bodyText(this.#request)
  }
}

function headerOf(request: NodeRequest, name: string): string | null {
  const value = request.headers[name]
  if (value === undefined) return null
  return Array.isArray(value) ? value.join(', ') : value
}

/** The body, also when a body parser of the framework has read it before. */
async function bodyText(request: NodeRequest): Promise<string> {
  const parsed = request.body
  if (typeof parsed === 'string') return parsed
  if (parsed instanceof Uint8Array) return Buffer.from(parsed).toString('utf8')
  if (!request.readableEnded) return readStream(request as AsyncIterable<Buffer>)
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
