import type { Platform } from '../context.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import type { SessionStore } from '../session/stores/session-store.ts'
import type { Log } from './log.ts'

/**
 * Logs warnings, once at the start, about options that limit features, such as sessions in memory.
 */
export function warnAbout(
  store: SessionStore | 'cookie' | undefined,
  { secure, routes, baseUrl, resources }: ResolvedAuthOptions,
  { environment }: Platform,
  log: Log,
): void {
  if (resources.length > 0 && baseUrl.pathname !== '/') {
    const addresses = resources.map(({ metadataUrl }) => metadataUrl).join(', ')
    log.warned(
      'LATCHKEY_METADATA_OUTSIDE',
      `Clients ask for the metadata of "resources" outside of "baseUrl": let the proxy pass these addresses on to the application: ${addresses}`,
    )
  }
  if (store === 'cookie') {
    log.warned(
      'LATCHKEY_SESSIONS_IN_COOKIES',
      'Sessions are in the cookies of browsers alone: back-channel logout, the list of sessions and revocation are off, refreshes are not coordinated over processes, and a copy of a cookie stays valid after a logout.',
    )
    return
  }
  if (!store && (secure || environment?.NODE_ENV === 'production')) {
    log.warned(
      'LATCHKEY_SESSIONS_IN_MEMORY',
      'Sessions live in this process: they end with it, and no other process sees them.',
    )
  }
  if (store && !(store.once && store.lock)) {
    log.warned(
      'LATCHKEY_STORE_WITHOUT_ONCE',
      'The session store has no replay cache or no lock ("once", "lock"): spent logins and logout tokens are remembered, and refreshes are coordinated, within this process alone.',
    )
  }
  if (store && !store.index && routes.backchannelLogout) {
    log.warned(
      'LATCHKEY_STORE_WITHOUT_INDEX',
      'The session store has no index: back-channel logout and the list of sessions are off.',
    )
  }
}

/** Logs once that the telemetry of the application fails. */
export function warnAboutTelemetry(cause: unknown, log: Log): void {
  const reason = cause instanceof Error ? cause.message : String(cause)
  log.warned(
    'LATCHKEY_TELEMETRY_FAILED',
    `OpenTelemetry threw an error (${reason}). Logins go on, but spans and metrics are missing.`,
  )
}
