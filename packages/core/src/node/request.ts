import type { IncomingMessage, ServerResponse } from 'node:http'
import { RequestError } from '../errors.ts'
import type { AuthRequest } from '../request.ts'

const MAX_BODY_BYTES = 65_536

/** A request of node:http; frameworks add the parsed body and the URL before their routers cut it. */
export interface NodeRequest extends IncomingMessage {
  readonly originalUrl?: string
  readonly body?: unknown
}

/**
 * Presents a request of node:http to the core without copying it. The URL's origin is the one given:
 * the `Host` header and forwarded headers are not read.
 *
 * @param response - The response to it; the hook `onError` receives both as `{ req, res }`.
 */
export function toAuthRequest(
  request: NodeRequest,
  origin: string,
  response?: ServerResponse,
): AuthRequest {
  return new OriginAuthRequest(request, origin, response)
}

class OriginAuthRequest implements AuthRequest {
  readonly #request: NodeRequest
  readonly #origin: string
  readonly #response: ServerResponse | undefined

  constructor(request: NodeRequest, origin: string, response: ServerResponse | undefined) {
    this.#request = request
    this.#origin = origin
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
    return this.#origin + (path.startsWith('/') ? path : `/${path}`)
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
  if (request.readableEnded && typeof parsed === 'object' && parsed !== null) {
    // A form has texts; what else a parser makes of names such as `state[a]` is none of ours.
    const pairs = Object.entries(parsed).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value])
        .filter((one) => typeof one === 'string')
        .map((one): [string, string] => [name, one]),
    )
    return new URLSearchParams(pairs).toString()
  }
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_BODY_BYTES) {
        throw new RequestError('LATCHKEY_REQUEST_INVALID', 'The body is larger than 64 KiB.', {
          status: 413,
        })
      }
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof RequestError) throw cause
    throw new RequestError('LATCHKEY_REQUEST_INVALID', 'The body did not arrive.', { cause })
  }
  return Buffer.concat(chunks).toString('utf8')
}
