/**
 * What the core reads of a request; a web-standard `Request` is one.
 *
 * An adapter may pass something lighter. `url` is absolute, and its origin is that of `baseUrl`
 * whatever the request said.
 */
export interface AuthRequest {
  readonly method: string
  readonly url: string
  readonly headers: { get(name: string): string | null }
  /** The body as text. Called only for routes of the kit that take a form. */
  text(): Promise<string>
}

/** The path of a request's URL, without parsing the rest. */
export function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  if (start === -1) return '/'
  const query = url.indexOf('?', start)
  return query === -1 ? url.slice(start) : url.slice(start, query)
}

/** The query parameters of a request's URL. */
export function queryOf(url: string): URLSearchParams {
  const query = url.indexOf('?')
  return new URLSearchParams(query === -1 ? '' : url.slice(query + 1))
}
