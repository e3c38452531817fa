import { LatchkeyError, RefreshError } from '../errors/errors.ts'
import { type Publish, userHash } from '../log/events.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import type { Provider } from '../provider/provider.ts'
import { decodeJwt } from '../provider/signed/jwt.ts'
import type { AuthSession } from '../session/session.ts'
import { sessionUser } from '../session/session-user.ts'
import type { StoredSession } from '../session/stored-session.ts'
import { OldestFirst, remember } from '../shared/oldest-first.ts'
import { type Refresher, schemaFailed } from './refresh.ts'
import { readUserInfo } from './userinfo.ts'

/** Reads the users of sessions from the provider again. */
export interface UserRefresher {
  /**
   * Reads the user again now: from userinfo, or from the ID token of a refresh if the provider has
   * no userinfo. Resolves to the session afterwards.
   *
   * @throws {@link RefreshError} when there is no access token, the session has ended, or the schema
   *   of the option `claims` fails; {@link CallbackError} or {@link ProviderError} when userinfo
   *   cannot be used.
   */
  refresh(provider: Provider, session: StoredSession): Promise<AuthSession>
  /** Whether the user has to be read again by `userinfo: { everySeconds }`. */
  isDue(session: AuthSession | undefined): session is AuthSession
  /**
   * Reads the user of a session that is due, once for parallel requests. After a failure, the user
   * stays unchanged, and is not read again for 30 seconds.
   */
  refreshDue(provider: Provider, session: StoredSession): Promise<void>
}

/** The seconds after a failure in which the user is not read again. */
const RETRY_SECONDS = 30
const MAX_REMEMBERED = 10_000
const MAX_ATTEMPTS = 3

/** Makes the {@link UserRefresher} of one instance. */
export function createUserRefresher(
  options: ResolvedAuthOptions,
  refresher: Refresher,
  publish: Publish,
): UserRefresher {
  const { userinfo, hooks, now } = options
  const everySeconds = typeof userinfo === 'object' ? userinfo.everySeconds : undefined
  const inFlight = new Map<string, Promise<void>>()
  const failedAt = new OldestFirst<string, number>()

  const refresh: UserRefresher['refresh'] = async (provider, session) => {
    const metadata = await provider.metadata()
    const hasUserinfo = metadata.userinfo_endpoint !== undefined
    const token = await refresher.accessToken(provider, session, { force: !hasUserinfo })
    let current = await session.reload()
    if (!current) throw ended()
    if (!hasUserinfo) return current
    const { proofKey } = current.tokens ?? {}
    const claims = await readUserInfo(
      provider,
      { accessToken: token, proofKey },
      current.sub,
      now(),
    )
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const lastIdToken = decodeJwt(current.idToken ?? '')?.payload
      const sources = { lastIdToken, userinfo: claims }
      const user = await sessionUser(options, sources, current).catch((error) => {
        throw error instanceof LatchkeyError ? error : schemaFailed(error)
      })
      const renewed = { ...current, ...user }
      const kept = (await hooks.onSession?.(renewed, 'refresh')) ?? renewed
      if (await session.update(kept)) return kept
      // The tokens were refreshed meanwhile, or the session has ended.
      current = await session.reload()
      if (!current) throw ended()
    }
    return current
  }

  return {
    refresh,
    isDue(session): session is AuthSession {
      if (everySeconds === undefined || !session?.tokens) return false
      return now() - (session.userReadAt ?? session.createdAt) >= everySeconds
    },
    async refreshDue(provider, session) {
      const { id = '' } = session
      if (now() - (failedAt.get(id) ?? Number.NEGATIVE_INFINITY) < RETRY_SECONDS) return
      const running = inFlight.get(id)
      if (running) {
        await running
        await session.reload()
        return
      }
      const flight = refresh(provider, session)
        .then(() => void failedAt.delete(id))
        .catch(async (error) => {
          if (!(error instanceof LatchkeyError)) throw error
          remember(failedAt, id, now(), MAX_REMEMBERED)
          const found = await session.read()
          const user = found && userHash(found.issuer, found.sub)
          const { code, correlationId } = error
          const facts = { issuer: provider.issuer, code, correlationId, ...(user && { user }) }
          publish('user.refresh_failed', facts, error)
        })
        .finally(() => inFlight.delete(id))
      inFlight.set(id, flight)
      await flight
    },
  }
}

function ended(): RefreshError {
  return new RefreshError('LATCHKEY_REFRESH_REJECTED', 'The session ended while it was refreshed.')
}
