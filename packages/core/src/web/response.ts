import type { HeaderSink } from '../http/headers.ts'
import type { Answer, ResponsePort } from '../visit/visit.ts'

/**
 * The response to a web `Request`. It keeps the kit's headers until the application has returned
 * its `Response`.
 */
export class WebResponse implements ResponsePort<Response> {
  isSent = false
  /** Whether the response has made a WebSocket of the connection. */
  isUpgraded = false
  readonly #whenEnded: (() => void)[] = []
  readonly #inFront: () => Headers | undefined
  #headers: Headers | undefined
  #write: ((headers: HeaderSink) => void) | undefined

  /**
   * @param inFront - The headers that the framework adds only to its own responses.
   */
  constructor(inFront: () => Headers | undefined = () => undefined) {
    this.#inFront = inFront
  }

  get(name: string): string | null {
    return this.#own().get(name)
  }

  getSetCookie(): string[] {
    return this.#own().getSetCookie()
  }

  set(name: string, value: string): void {
    this.#own().set(name, value)
  }

  append(name: string, value: string): void {
    this.#own().append(name, value)
  }

  #own(): Headers {
    this.#headers ??= new Headers(this.#inFront())
    return this.#headers
  }

  beforeSent(write: (headers: HeaderSink) => void): void {
    this.#write = write
  }

  /**
   * Calls `ended` when the body has been sent or the browser has gone. Call this before `finish()`.
   */
  onEnd(ended: () => void): void {
    this.#whenEnded.push(ended)
  }

  send({ status, body }: Answer): Response {
    const response = new Response(body ?? null, { status, headers: this.#own() })
    // Headers that are set from now on belong to another response. Only `finish()` still adds
    // cookies.
    this.#headers = undefined
    return response
  }

  /**
   * Adds the kit's headers to a response of the application or the kit, and watches the end of its
   * body.
   */
  finish(response: Response): Response {
    this.isSent = true
    const ended = this.#whenEnded
    // An upgraded connection has no body, and has not ended.
    if (response.status < 200) {
      this.isUpgraded = true
      return response
    }
    const written = this.#written(response)
    if (ended.length === 0) return written
    return new Response(watched(written.body, ended), written)
  }

  #written(response: Response): Response {
    const write = this.#write
    if (!write) return response
    try {
      write(response.headers)
      return response
    } catch {
      // The headers of a redirect, and of a response of `fetch`, cannot be changed.
      const copy = new Response(response.body, response)
      write(copy.headers)
      return copy
    }
  }
}

/** The same body, with a notification when it was read completely, has failed, or was cancelled. */
function watched(
  body: Response['body'],
  whenEnded: readonly (() => void)[],
): ReadableStream<Uint8Array> | null {
  const end = (): void => {
    for (const ended of whenEnded) ended()
  }
  if (!body) {
    end()
    return null
  }
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        controller.close()
      } catch (error) {
        controller.error(error)
      }
      end()
    },
    cancel(reason) {
      end()
      return reader.cancel(reason)
    },
  })
}
