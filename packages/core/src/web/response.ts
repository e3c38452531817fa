import type { HeaderSink } from '../http/headers.ts'
import type { Answer, ResponsePort } from '../visit.ts'

/** The response to a web `Request`: what the kit sets is kept until the application's `Response` is there. */
export class WebResponse implements ResponsePort<Response> {
  isSent = false
  #headers: Headers | undefined
  #write: ((headers: HeaderSink) => void) | undefined

  get(name: string): string | null {
    return this.#headers?.get(name) ?? null
  }

  getSetCookie(): string[] {
    return this.#headers?.getSetCookie() ?? []
  }

  set(name: string, value: string): void {
    this.#headers ??= new Headers()
    this.#headers.set(name, value)
  }

  append(name: string, value: string): void {
    this.#headers ??= new Headers()
    this.#headers.append(name, value)
  }

  beforeSent(write: (headers: HeaderSink) => void): void {
    this.#write = write
  }

  send({ status, body }: Answer): Response {
    const response = new Response(body ?? null, { status, headers: this.#headers ?? [] })
    // What is set from now on belongs to another response, but for cookies.
    this.#headers = undefined
    return response
  }

  /** The response of the application, or of the kit, with the headers that the kit sets. */
  finish(response: Response): Response {
    const write = this.#write
    this.isSent = true
    if (!write || response.status < 200) return response
    try {
      write(response.headers)
      return response
    } catch {
      // The headers of a redirect, and of what `fetch` returned, cannot be changed.
      const copy = new Response(response.body, response)
      write(copy.headers)
      return copy
    }
  }
}
