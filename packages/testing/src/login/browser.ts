import { request as httpRequest } from 'node:http'
import { pageSeconds } from './patience.ts'

/** A browser without a window. It keeps cookies with paths, and follows redirects one at a time. */
export interface Browser {
  /** The cookies, by host, path and name in one text; a space is in front of the name. */
  readonly cookies: Map<string, { value: string; path: string; host: string; attributes: string }>
  /** Sends one request, without following redirects. */
  send(url: string, init?: BrowserRequest): Promise<Response>
  /** Navigates to a page, and follows redirects. A URL that `until` accepts is not opened. */
  open(url: string, until?: (url: URL) => boolean): Promise<Visit>
}

/** One request of a browser. */
export interface BrowserRequest {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** The end of a navigation. */
export interface Visit {
  readonly url: URL
  readonly response: Response
  readonly text: string
  /** All URLs of the navigation, from the first to the last. */
  readonly trail: string[]
}

/** The headers of a navigation. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
}

/**
 * Opens a browser without cookies.
 *
 * @param origins - The URLs at which origins are served, as behind a proxy that terminates TLS.
 */
export function createBrowser(origins: Readonly<Record<string, string>> = {}): Browser {
  const cookies: Browser['cookies'] = new Map()
  const browser: Browser = {
    cookies,
    async send(url, init = {}) {
      const target = new URL(url)
      const cookie = cookieHeader(cookies, target)
      const served = origins[target.origin]
      const response = await sendOverHttp(
        served ? new URL(target.pathname + target.search, served) : target,
        {
          ...init,
          headers: {
            host: target.host,
            ...(cookie ? { cookie } : {}),
            ...(init.headers ?? sentBy(target, init)),
          },
        },
      )
      for (const line of response.headers.getSetCookie()) store(cookies, target, line)
      return response
    },
    async open(url, until = () => false) {
      const trail = [url]
      let response = await browser.send(url, { headers: PAGE_HEADERS })
      for (let hop = 0; hop < 20; hop++) {
        const location = response.headers.get('location')
        if (!location) break
        const next = new URL(location, trail.at(-1))
        trail.push(next.href)
        if (until(next)) break
        await response.body?.cancel()
        response = await browser.send(next.href, { headers: PAGE_HEADERS })
      }
      return { url: new URL(trail.at(-1) as string), response, text: await response.text(), trail }
    },
  }
  return browser
}

/**
 * The headers that a browser adds: for all methods but GET, `Origin` of a page on the same site.
 */
function sentBy({ origin }: URL, { method = 'GET' }: BrowserRequest): Record<string, string> {
  return method === 'GET' ? {} : { origin }
}

function cookieHeader(cookies: Browser['cookies'], url: URL): string {
  return [...cookies]
    .filter(([, { path, host }]) => host === url.host && matches(path, url.pathname))
    .map(([key, { value }]) => `${key.slice(key.indexOf(' ') + 1)}=${value}`)
    .join('; ')
}

function matches(path: string, pathname: string): boolean {
  if (!pathname.startsWith(path)) return false
  return path.endsWith('/') || pathname.length === path.length || pathname[path.length] === '/'
}

function store(cookies: Browser['cookies'], url: URL, line: string): void {
  const [pair = '', ...attributes] = line.split(';')
  const name = pair.slice(0, pair.indexOf('='))
  const value = pair.slice(pair.indexOf('=') + 1)
  const attribute = (key: string): string | undefined =>
    attributes
      .map((part) => part.trim().split('='))
      .find(([found]) => found?.toLowerCase() === key)?.[1]
  const path = attribute('path') ?? '/'
  const key = `${url.host}${path} ${name}`
  const expires = attribute('expires')
  const gone =
    attribute('max-age') === '0' || (expires && new Date(expires).getTime() <= Date.now())
  if (gone) cookies.delete(key)
  else cookies.set(key, { value, path, host: url.host, attributes: attributes.join(';') })
}

/** Sends a request with node:http, because `fetch` would send its own `Sec-Fetch-Mode`. */
function sendOverHttp(url: URL, init: BrowserRequest): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: init.method ?? 'GET', headers: init.headers })
    request.on('error', reject)
    const seconds = pageSeconds()
    request.setTimeout(seconds * 1000, () => {
      const what = `${init.method ?? 'GET'} ${url.pathname}`
      request.destroy(new Error(`${what} was not answered in ${seconds} s.`))
    })
    request.on('response', (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const headers = new Headers()
        for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
          for (const value of values) headers.append(name, value)
        }
        const status = incoming.statusCode ?? 0
        const empty = status === 204 || status === 304
        resolve(new Response(empty ? null : Buffer.concat(chunks), { status, headers }))
      })
    })
    request.end(init.body)
  })
}
