import { isLoopbackHost } from './issuer-url.ts'
import { partsOf } from './request.ts'

/** Values of `NODE_ENV` under which the kit may help the developer. */
const DEVELOPMENT: ReadonlySet<string | undefined> = new Set([undefined, '', 'development', 'test'])

/**
 * Whether this is a developer's machine: every base URL is on loopback, and `NODE_ENV` is `development`,
 * `test` or not set. An environment that cannot be read and a value that is not known are production.
 */
export function isDevelopment(
  environment: Readonly<Record<string, string | undefined>> | undefined,
  baseUrls: readonly URL[],
): boolean {
  if (!environment || !DEVELOPMENT.has(environment.NODE_ENV)) return false
  return baseUrls.every(({ hostname }) => isLoopbackHost(hostname))
}

/** The page of the flight recorder. */
export function recorderPath(baseUrl: URL): string {
  return `${partsOf(baseUrl).prefix}/__latchkey`
}

/** The page on which a persona is chosen. */
export function personasPath(baseUrl: URL): string {
  return `${recorderPath(baseUrl)}/log-in-as`
}
