import { ConfigError } from '../errors/errors.ts'
import { isDevelopment } from '../http/development.ts'
import type { AnyAuthOptions, ResolvedAuthOptions } from './options.ts'
import { type Environment, headingOf, resolveOptions } from './resolve-options.ts'

const INSTALL =
  'Or log in as test users in development, without a provider: npm install --save-dev @latchkey/testing'

/**
 * Whether neither options nor environment name a provider, and the application certainly runs on a
 * developer's machine.
 */
export function lacksProvider(
  options: AnyAuthOptions,
  environment: Environment | undefined,
): environment is Environment {
  if (typeof options !== 'object' || options === null || !environment) return false
  const { issuer, clientId, clientSecret, clientAuth, clientKey, discoveryUrl, metadata } = options
  const { LATCHKEY_ISSUER, LATCHKEY_CLIENT_ID, LATCHKEY_CLIENT_SECRET } = environment
  const said = [issuer, clientId, clientSecret, clientAuth, clientKey, discoveryUrl, metadata]
  const read = [LATCHKEY_ISSUER, LATCHKEY_CLIENT_ID, LATCHKEY_CLIENT_SECRET]
  if ([...said, ...read].some((value) => value !== undefined)) return false
  // With several base URLs, it is unclear to which one personas would return.
  const baseUrl = String(options.baseUrl ?? environment.LATCHKEY_BASE_URL)
  return URL.canParse(baseUrl) && isDevelopment(environment, [new URL(baseUrl)])
}

/**
 * Resolves the options. If `issuer` is missing, the error also suggests test users (personas).
 *
 * @throws {@link ConfigError} listing every fault at once.
 */
export function resolveOrInstall(
  options: AnyAuthOptions,
  environment: Environment,
): ResolvedAuthOptions {
  try {
    return resolveOptions(options, environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const faults = error.faults.map((fault) =>
      fault.option === 'issuer' ? { ...fault, remedy: `${fault.remedy} ${INSTALL}` } : fault,
    )
    throw new ConfigError(faults, headingOf(faults, environment))
  }
}
