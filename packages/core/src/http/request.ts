/**
 * The part of a request that the core reads; a web-standard `Request` is one.
 *
 * An adapter may pass something lighter. `url` is absolute, and its origin is that of `baseUrl`,
 * regardless of the request.
 */
export interface AuthRequest {
  readonly method: string
  readonly url: string
  readonly headers: { get(name: string): string | null }
  /** The host that the browser named. Default the header `Host`; it counts where `baseUrl` lists several. */
  readonly host?: string | undefined
  /** Whether it opens a connection that stays. Default: its method and headers say so. */
  readonly opensSocket?: boolean
  /** The body as text. Called only for routes of the kit that take a form. */
  text(): Promise<string>
  /** The body as a stream, as a web-standard `Request` has it. It is read no further than 64 KiB. */
  readonly body?: unknown
  /** Whether the body was read before. */
  readonly bodyUsed?: boolean
  /** Calls back once, when the connection that waits for the answer is closed. */
  onClose?(close: () => void): void
  /** The framework's own request and response, which the hook `onError` receives. */
  readonly exchange?: unknown
}

/** Details that an adapter may add to a request. */
export interface RequestDetails {
  /**
   * The body as the framework's body parser left it, or a promise of it. It is read when the body is needed: a getter may
   * tell what a parser behind the kit has made of it.
   */
  readonly body?: unknown
  /** The argument of the hook `onError`, such as `{ req, res }`. */
  readonly exchange?: unknown
  /**
   * The headers that earlier middleware has set, if the framework adds them only to its own
   * responses; the kit's responses start with them. Default none.
   */
  readonly headers?: () => Headers
}

/** Bytes in a buffer of their own: `Uint8Array<ArrayBuffer>`, which compilers before TypeScript 5.7 do not know. */
type Bytes = ReturnType<Uint8Array['slice']>

/**
 * The core's answer, lighter than a web-standard `Response`. Where one is needed it is `new
 * Response(answer.body, answer)`.
 */
export interface AuthResponse {
  readonly status: number
  /** Names in lower case; `set-cookie` may come several times. */
  readonly headers: [name: string, value: string][]
  readonly body?: string | Bytes | undefined
  /** The hook `onError` answers through the framework's own response: an adapter sends nothing. */
  readonly isAnswered?: true | undefined
  /** The address that a page leads to, for frameworks that can redirect and show no page of the kit. */
  readonly onward?: string | undefined
}

/** The path of a request's URL with its query, without parsing the rest. */
export function targetOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  if (start === -1) return '/'
  const fragment = url.indexOf('#', start)
  return fragment === -1 ? url.slice(start) : url.slice(start, fragment)
}

/** The path of a request's URL, without parsing the rest. */
export function pathOf(url: string): string {
  const target = targetOf(url)
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}

/**
 * The address of a request at the application. Its origin is that of `baseUrl`, and when a proxy left
 * out the path of `baseUrl`, it is put back.
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

/** The parts of each `baseUrl`: a URL computes them at each access. */
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
