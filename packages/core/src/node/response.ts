import { BODY_HEADERS, type HeaderSink } from '../http/headers.ts'
import type { Answer, ResponsePort } from '../visit/visit.ts'

/** A response of node:http or of the compatibility layer of node:http2. */
export interface NodeResponse {
  statusCode: number
  readonly headersSent: boolean
  getHeader(name: string): number | string | readonly string[] | undefined
  setHeader(name: string, value: string | readonly string[]): unknown
  appendHeader(name: string, value: string): unknown
  removeHeader(name: string): unknown
  writeHead(status: number, ...more: unknown[]): unknown
  end(body?: string | Uint8Array): unknown
}

/**
 * The response of a visit over node:http. The kit's headers are written just before the headers are
 * sent, so no handler and no error handler can remove them.
 */
export function toResponsePort(response: NodeResponse): ResponsePort<void> {
  return new NodeResponsePort(response)
}

class NodeResponsePort implements ResponsePort<void> {
  readonly #response: NodeResponse

  constructor(response: NodeResponse) {
    this.#response = response
  }

  get isSent(): boolean {
    return this.#response.headersSent
  }

  get(name: string): string | null {
    const value = this.#response.getHeader(name)
    if (value === undefined) return null
    return typeof value === 'object' ? value.join(', ') : String(value)
  }

  getSetCookie(): string[] {
    const value = this.#response.getHeader('set-cookie') ?? []
    return typeof value === 'object' ? [...value] : [String(value)]
  }

  set(name: string, value: string): void {
    if (!this.#response.headersSent) this.#response.setHeader(name, value)
  }

  append(name: string, value: string): void {
    if (!this.#response.headersSent) this.#response.appendHeader(name, value)
  }

  delete(name: string): void {
    if (!this.#response.headersSent) this.#response.removeHeader(name)
  }

  beforeSent(write: (headers: HeaderSink) => void): void {
    const response = this.#response
    const { writeHead } = response
    response.writeHead = (status, ...more) => {
      response.writeHead = writeHead
      const [first] = more
      const isText = typeof first === 'string'
      const given = isText ? more[1] : (first ?? more[1])
      if (given) setHeaders(response, given)
      write(this)
      return isText ? writeHead.call(response, status, first) : writeHead.call(response, status)
    }
  }

  send({ status, body, isAnswered }: Answer): void {
    const response = this.#response
    if (response.headersSent || isAnswered) return
    // Koa sets them when a middleware in front sets a body.
    for (const name of BODY_HEADERS) response.removeHeader(name)
    response.statusCode = status
    response.end(body)
  }
}

/**
 * Sets the headers that were passed to `writeHead`: an object, a flat array of names and values, or
 * an array of pairs.
 */
function setHeaders(response: NodeResponse, headers: object): void {
  if (!Array.isArray(headers)) {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    return
  }
  const flat: unknown[] = headers.flat()
  const lists = new Map<string, string[]>()
  for (let index = 0; index < flat.length; index += 2) {
    const name = String(flat[index])
    lists.set(name, [...(lists.get(name) ?? []), String(flat[index + 1])])
  }
  for (const [name, [first = '', ...others]] of lists) {
    response.setHeader(name, others.length > 0 ? [first, ...others] : first)
  }
}
