import { getURLFromRedirectError } from 'next/dist/client/components/redirect.js'
import { isRedirectError } from 'next/dist/client/components/redirect-error.js'
import { workAsyncStorage } from 'next/dist/server/app-render/work-async-storage.external.js'
import { workUnitAsyncStorage } from 'next/dist/server/app-render/work-unit-async-storage.external.js'
import {
  createCookiesWithMutableAccessCheck,
  MutableRequestCookiesAdapter,
  RequestCookiesAdapter,
} from 'next/dist/server/web/spec-extension/adapters/request-cookies.js'
import { RequestCookies } from 'next/dist/server/web/spec-extension/cookies.js'
import { addPathPrefix } from 'next/dist/shared/lib/router/utils/add-path-prefix.js'

type Sent = Readonly<Record<string, string>>

/** Runs the code of a page, to which `headers()` and `cookies()` of Next.js give these headers. */
export function inPage<T>(sent: Sent, page: () => Promise<T>): Promise<T> {
  return run('render', sent, page)
}

/** Runs a server action, which can set cookies. */
export function inAction<T>(sent: Sent, action: () => Promise<T>): Promise<T> {
  return run('action', { 'next-action': 'x', ...sent }, action)
}

/** The address to which Next.js redirects the browser, in an application with this `basePath`. */
export async function redirectOf(running: Promise<unknown>, basePath = ''): Promise<string> {
  const error = await running.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (!isRedirectError(error)) throw error ?? new Error('There is no redirect.')
  return addPathPrefix(getURLFromRedirectError(error), basePath)
}

function run<T>(phase: 'render' | 'action', sent: Sent, code: () => Promise<T>): Promise<T> {
  const headers = new Headers(sent)
  const jar = new RequestCookies(headers)
  const store = {
    ...{ type: 'request', phase, headers },
    cookies: RequestCookiesAdapter.seal(jar),
    mutableCookies: MutableRequestCookiesAdapter.wrap(jar),
    userspaceMutableCookies: undefined as unknown,
  }
  store.userspaceMutableCookies = createCookiesWithMutableAccessCheck(store as never)
  return workAsyncStorage.run({ route: '/' } as never, () =>
    workUnitAsyncStorage.run(store as never, code),
  )
}
