import { answeringStore } from '../errors/deadline.ts'
import type { Log } from '../log/log.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import type { Telemetry } from '../shared/telemetry.ts'
import { createCookieSessions } from './cookie-sessions.ts'
import { createStoredSessions, type StoredSessions } from './stored-sessions.ts'
import { createMemoryStore } from './stores/memory-store.ts'
import type { SessionStore } from './stores/session-store.ts'

/**
 * Creates the sessions of one application: in the cookie, in the application's session store, or in
 * memory.
 *
 * @param given - The option `session.store`. Default: `memory`.
 * @param memory - The store in memory. Default: a new one.
 */
export function createSessions(
  given: SessionStore | 'cookie' | undefined,
  {
    session,
    answerSeconds,
    requestSeconds,
    routes,
    now,
    telemetry: isMeasured,
  }: ResolvedAuthOptions,
  log: Log,
  telemetry: Telemetry,
  memory: SessionStore | undefined,
): StoredSessions {
  // The lock lasts twice as long as the requests to the provider may take, which leaves time for
  // the hooks and the session store.
  const lockSeconds = 2 * requestSeconds
  if (given === 'cookie') return createCookieSessions(session, now, lockSeconds, log.failed)
  return createStoredSessions(
    given
      ? answeringStore(given, answerSeconds, { observe: isMeasured && telemetry.store })
      : (memory ?? createMemoryStore({ now })),
    session,
    now,
    lockSeconds,
    routes.backchannelLogout !== undefined,
  )
}
