import assert from 'node:assert/strict'
import type { LoginSite } from './bench.ts'
import { type Browser, createBrowser, PAGE_HEADERS } from './browser.ts'

/** A response of the application. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The redirect target, if any. */
  readonly location: URL | undefined
  /** The lines of `Set-Cookie`. */
  readonly cookies: readonly string[]
}

/** A browser at the application. */
export interface Visitor {
  /** The cookies of the browser. */
  readonly cookies: Browser['cookies']
  /** Navigates to a path, without following redirects. */
  open(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** Sends a request like a script. */
  call(path: string): Promise<Answer>
  /** Sends a request of any method. */
  send(
    method: string,
    path: string,
    headers?: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<Answer>
  /** Begins a login. Resolves to the path to which the provider sends the visitor back. */
  begin(path?: string): Promise<string>
  /** Logs in. Resolves to the response of the callback. */
  logIn(path?: string): Promise<Answer>
  /** Whether the guarded page opens. */
  isLoggedIn(): Promise<boolean>
}

/** Makes a visitor without cookies. */
export function createVisitor(site: LoginSite): Visitor {
  const { baseUrl, served, provider, paths } = site
  const browser = createBrowser({ [baseUrl]: served })

  async function send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: string,
  ): Promise<Answer> {
    const init = { method, headers, ...(body === undefined ? {} : { body }) }
    const response = await browser.send(baseUrl + path, init)
    const location = response.headers.get('location')
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: location === null ? undefined : new URL(location, baseUrl + path),
      cookies: response.headers.getSetCookie(),
    }
  }

  const visitor: Visitor = {
    cookies: browser.cookies,
    send,
    open: (path, headers = {}) => send('GET', path, { ...PAGE_HEADERS, ...headers }),
    call: (path) => send('GET', path, { accept: 'application/json', 'sec-fetch-mode': 'cors' }),
    async begin(path = paths.loginPath) {
      let { status, location } = await visitor.open(path)
      // A guard may first redirect to the login route.
      for (let hop = 0; hop < 3 && location?.origin === baseUrl; hop++) {
        ;({ status, location } = await visitor.open(location.pathname + location.search))
      }
      assert.ok(
        location?.origin === provider.issuer,
        `GET ${path} answers ${status}${location ? ` to ${location.origin}` : ''} where a redirect to the ` +
          'provider belongs; is the login there, and does createApp() use the options that it is given?',
      )
      const answer = await fetch(location, { redirect: 'manual' })
      const back = new URL(answer.headers.get('location') ?? 'nowhere:')
      assert.equal(back.origin, baseUrl, 'the provider sends the visitor back to "baseUrl"')
      return back.pathname + back.search
    },
    async logIn(path) {
      return visitor.open(await visitor.begin(path))
    },
    async isLoggedIn() {
      await site.assertGuarded()
      const { status } = await visitor.open(paths.guardedPath)
      return status >= 200 && status < 300
    },
  }
  return visitor
}

/** Asserts that a response begins a login, or refuses the request. */
export function assertRefused({ status, location }: Answer, what: string): void {
  assert.ok(
    status === 401 || status === 403 || (status >= 300 && status < 400 && location),
    `${what} is redirected to the login or refused with 401 or 403, not ${status}`,
  )
}

/** Asserts that no cache may store a response. */
export function assertNotKept({ headers }: Answer, what: string): void {
  const found = headers.get('cache-control')
  assert.match(found ?? '', /\bno-store\b/, `Cache-Control of ${what} is ${found}`)
}
