import type { Log } from '../log/log.ts'
import { isLoopbackHost } from './issuer-url.ts'
import { type AuthResponse, partsOf } from './request.ts'
import { page } from './responses.ts'

/** Values of `NODE_ENV` under which the kit may help the developer. */
const DEVELOPMENT: ReadonlySet<string | undefined> = new Set([undefined, '', 'development', 'test'])

/**
 * Whether the kit runs on a developer's machine: every base URL is on loopback, and `NODE_ENV` is
 * `development`, `test` or not set. An environment that cannot be read and a value that is not
 * known are production.
 */
export function isDevelopment(
  environment: Readonly<Record<string, string | undefined>> | undefined,
  baseUrls: readonly URL[],
): boolean {
  if (!environment || !DEVELOPMENT.has(environment.NODE_ENV)) return false
  return baseUrls.every(({ hostname }) => isLoopbackHost(hostname))
}

/** The path of the login recorder. */
export function recorderPath(baseUrl: URL): string {
  return `${partsOf(baseUrl).prefix}/__latchkey`
}

/** The path of the page on which a developer chooses a persona. */
export function personasPath(baseUrl: URL): string {
  return `${recorderPath(baseUrl)}/log-in-as`
}

/**
 * Makes the route that answers at the path of the login recorder if it is not installed. The page
 * explains how to install it. A warning is logged once.
 */
export function developmentMissing(
  { baseUrl }: { readonly baseUrl: URL },
  log: Log,
): { answer(path: string): AuthResponse | undefined } {
  const recorder = recorderPath(baseUrl)
  let isLogged = false
  return {
    answer(path) {
      if (path !== recorder) return undefined
      const message = `The login recorder is not installed: ${INSTALL_RECORDER}`
      if (!isLogged) log.warned('LATCHKEY_DEVELOPMENT_MISSING', message)
      isLogged = true
      const body = `<p>To see what happened, step by step, install the login recorder, and start the application again:</p><p><code>${INSTALL_RECORDER}</code></p><p><small>LATCHKEY_DEVELOPMENT_MISSING</small></p>`
      return page({ title: 'The login recorder is not installed', body, status: 404 })
    },
  }
}

const INSTALL_RECORDER = 'npm install --save-dev @latchkey/development'
