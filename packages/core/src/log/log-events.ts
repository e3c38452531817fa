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
    const ofSchema = REFRESH_FAILED.has(name) && error ? schemaErrorOf(error) : undefined
    if (ofSchema) {
      log.failed(ofSchema)
    } else if (name === 'discovery.stale') {
      log.noticed(
        'LATCHKEY_PROVIDER_UNAVAILABLE',
        'The metadata of the provider could not be read again; the earlier one stays in use.',
      )
    } else if (name === 'token.refresh_failed' && event.code === 'LATCHKEY_REFRESH_UNAVAILABLE') {
      const code =
        error?.cause instanceof LatchkeyError ? error.cause.code : 'LATCHKEY_PROVIDER_INVALID'
      log.noticed(code, `An access token could not be refreshed. ${error?.message ?? ''}`.trim())
    } else if (isOneProvider && PROVIDER_ANSWERED.has(name)) {
      log.recovered('LATCHKEY_PROVIDER_UNAVAILABLE', PROVIDER_IS_BACK)
    }
  }
}

/**
 * The error for claims that do not fit the schema of the application, or for a schema that has
 * thrown an error. It has the code that it would have at login.
 */
function schemaErrorOf(error: LatchkeyError): LatchkeyError | undefined {
  const { cause } = error
  return [error, cause].find(
    (one): one is LatchkeyError =>
      one instanceof LatchkeyError && one.code === 'LATCHKEY_TOKEN_INVALID',
  )
}

const REFRESH_FAILED: ReadonlySet<AuthEventName> = new Set([
  'token.refresh_failed',
  'user.refresh_failed',
])

const PROVIDER_ANSWERED: ReadonlySet<AuthEventName> = new Set([
  'discovery.refreshed',
  'login.succeeded',
  'token.refreshed',
])
