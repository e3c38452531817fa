/**
 * The part of a request that the kit reads. A web `Request` fits.
 *
 * `url` is absolute. Its origin is always that of `baseUrl`, not that of the request.
 */
export interface AuthRequest {
  readonly method: string
  readonly url: string
  readonly headers: { get(name: string): string | null }
  /**
   * The host that the browser asked for. Used only if `baseUrl` is a list. Default: the header
   * `Host`.
   */
  readonly host?: string | undefined
  /**
   * Whether the request opens a WebSocket or another long-lived connection. Default: decided by its
   * method and headers.
   */
  readonly opensSocket?: boolean
  /** Reads the body as text. Called only for routes of the kit that take a form. */
  text(): Promise<string>
  /** The body as a stream, as in a web `Request`. At most 64 KiB of it are read. */
  readonly body?: unknown
  /** Whether the body has been read already. */
  readonly bodyUsed?: boolean
  /** Calls `close` once, when the connection of this request is closed. */
  onClose?(close: () => void): void
  /** The framework's own request and response: the third argument of the hook `onError`. */
  readonly exchange?: unknown
}

/** Facts about a request that an adapter can add. */
export interface RequestDetails {
  /**
   * The parsed body, if the framework's body parser has read it, or a promise of it. The kit reads
   * this member when it needs the body, so a getter can return the result of a parser that runs
   * later.
   */
  readonly body?: unknown
  /** The third argument of the hook `onError`, such as `{ req, res }`. */
  readonly exchange?: unknown
  /**
   * The headers that earlier middleware has set, which the kit adds to its responses. Needed if the
   * framework adds them only to its own responses. Default none.
   */
  readonly headers?: () => Headers
  /**
   * The connection of a handshake, if the response to it may end before the WebSocket is open.
   * Default: the response ends the request, or the abort of its signal does.
   */
  readonly connection?: Connection | undefined
}

/** A TCP connection, as of node:net. */
export interface Connection {
  readonly destroyed?: boolean
  once(event: 'close', listener: () => void): unknown
}

/** Bytes: `Uint8Array<ArrayBuffer>`, written so that compilers before TypeScript 5.7 accept it. */
type Bytes = ReturnType<Uint8Array['slice']>

/**
 * The response of the kit, lighter than a web `Response`. `new Response(answer.body, answer)`
 * converts it.
 */
export interface AuthResponse {
  readonly status: number
  /** The names are in lower case. `set-cookie` can occur several times. */
  readonly headers: [name: string, value: string][]
  readonly body?: string | Bytes | undefined
  /** Set if the hook `onError` has sent the response itself. The adapter must send nothing then. */
  readonly isAnswered?: true | undefined
  /**
   * The URL that the page links to. Used by frameworks that can redirect but cannot show a page of
   * the kit.
   */
  readonly onward?: string | undefined
}

/** The path and query of a request's absolute URL, read without a URL parser. */
export function targetOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  if (start === -1) return '/'
  const fragment = url.indexOf('#', start)
  return fragment === -1 ? url.slice(start) : url.slice(start, fragment)
}

/** The path of a request's absolute URL, read without a URL parser. */
export function pathOf(url: string): string {
  const target = targetOf(url)
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}

/**
 * The public URL of a request. Its origin is that of `baseUrl`. If a proxy has removed the path of
 * `baseUrl`, it is added again.
 *
 * @param path - The path with the query, as the server received it.
 */
export function publicUrl(path: string, baseUrl: URL): string {
  const { origin, prefix } = partsOf(baseUrl)
  const rooted = path.startsWith('/') ? path : `/${path}`
  if (prefix === '') return origin + rooted
  const isPublic = rooted.startsWith(prefix) && /^([/?]|$)/.test(rooted.slice(prefix.length))
  return isPublic ? origin + rooted : origin + prefix + rooted
}

/** The parts of each `baseUrl`, kept because a URL computes them at each access. */
const parts = new WeakMap<URL, { readonly origin: string; readonly prefix: string }>()

/** The origin of a `baseUrl`, and its path without the slash at the end. */
export function partsOf(baseUrl: URL): { readonly origin: string; readonly prefix: string } {
  const known = parts.get(baseUrl)
  if (known) return known
  const made = { origin: baseUrl.origin, prefix: baseUrl.pathname.replace(/\/$/, '') }
  parts.set(baseUrl, made)
  return made
}

/** The query parameters of a request's URL. */
export function queryOf(url: string): URLSearchParams {
  const query = url.indexOf('?')
  return new URLSearchParams(query === -1 ? '' : url.slice(query + 1))
}
