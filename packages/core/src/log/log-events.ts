import { LatchkeyError } from '../errors/errors.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import type { AuthEventName, Publish } from './events.ts'
import type { Log } from './log.ts'

const PROVIDER_IS_BACK = 'The provider answers again.'

/**
 * Makes a function that publishes each event, and logs events about the state of the provider.
 * Other errors are logged where they are answered.
 */
export function logEvents(
  publish: Publish,
  log: Log,
  { registration }: ResolvedAuthOptions,
): Publish {
  const isOneProvider = typeof registration !== 'function'
  return (name, event, error) => {
    publish(name, event)
    if (name === 'discovery.stale') {
      log.noticed(
        'LATCHKEY_PROVIDER_UNAVAILABLE',
        'The metadata of the provider could not be read again; the earlier one stays in use.',
      )
    } else if (name === 'token.refresh_failed' && event.code === 'LATCHKEY_REFRESH_UNAVAILABLE') {
      const code =
        error?.cause instanceof LatchkeyError ? error.cause.code : 'LATCHKEY_PROVIDER_INVALID'
      log.noticed(code, `An access token could not be refreshed. ${error?.message ?? ''}`.trim())
    } else if (name === 'user.refresh_failed' && error && isOfSchema(error)) {
      log.failed(error)
    } else if (isOneProvider && PROVIDER_ANSWERED.has(name)) {
      log.recovered('LATCHKEY_PROVIDER_UNAVAILABLE', PROVIDER_IS_BACK)
    }
  }
}

/** Whether claims do not fit the schema of the application, or the schema has thrown an error. */
function isOfSchema({ code, cause }: LatchkeyError): boolean {
  const isForeign = cause !== undefined && !(cause instanceof LatchkeyError)
  return code === 'LATCHKEY_TOKEN_INVALID' || (code === 'LATCHKEY_REFRESH_UNAVAILABLE' && isForeign)
}

const PROVIDER_ANSWERED: ReadonlySet<AuthEventName> = new Set([
  'discovery.refreshed',
  'login.succeeded',
  'token.refreshed',
])
