import { CallbackError, LatchkeyError, ProviderError, RefreshError } from '../errors/errors.ts'
import { type Publish, userHash } from '../log/events.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import {
  factsOf,
  isResponseBodyError,
  isUnavailable,
  kitCause,
  providerError,
  quoted,
} from '../provider/errors.ts'
import type { Provider } from '../provider/provider.ts'
import { type IdTokenExpectations, idTokenFault } from '../provider/signed/id-token.ts'
import { decodeJwt } from '../provider/signed/jwt.ts'
import { schemaError } from '../session/claims-schema.ts'
import { refreshKey } from '../session/refresh-lock.ts'
import type { AuthSession } from '../session/session.ts'
import { sessionUser } from '../session/session-user.ts'
import type { StoredSession } from '../session/stored-session.ts'
import { type Members, presentMembers } from '../shared/present-members.ts'
import type { Telemetry } from '../shared/telemetry.ts'
import { readUserInfo } from './userinfo.ts'

/** Options of `accessToken()`. */
export interface AccessTokenRequest {
  /**
   * The seconds for which the token must still be valid; otherwise it is refreshed. At most half of
   * the token's lifetime counts. Default 30.
   */
  readonly minValiditySeconds?: number
  /** Whether to refresh the token even if it is still valid. Default `false`. */
  readonly force?: boolean
}

/** Settings of a {@link Refresher}. */
export interface RefreshSettings {
  readonly options: ResolvedAuthOptions
  readonly publish: Publish
  readonly telemetry: Telemetry
}

/** Returns access tokens, and refreshes them when needed. */
export interface Refresher {
  /**
   * The session's access token, refreshed first if it is about to expire. Requests that need a
   * token at the same time share one refresh and get the same token. If the store has a lock,
   * requests in all processes share the refresh.
   *
   * @throws {@link RefreshError}: with `LATCHKEY_REFRESH_UNAVAILABLE`, the session stays; with
   *   `LATCHKEY_REFRESH_REJECTED`, the session has ended; with `LATCHKEY_TOKEN_ABSENT`, there is no
   *   token to return or to refresh.
   */
  accessToken(
    provider: Provider,
    session: StoredSession,
    request?: AccessTokenRequest,
  ): Promise<string>
}

/**
 * Errors after which no refresh can succeed, so the user has to log in (RFC 6749 §5.2, OIDC Core
 * 1.0 §3.1.2.6).
 */
const NEEDS_LOGIN: ReadonlySet<string> = new Set([
  'invalid_grant',
  'interaction_required',
  'login_required',
  'consent_required',
  'account_selection_required',
])

/** Errors of a refresh after which a token that has not expired is still returned. */
const KEEPS_TOKEN: ReadonlySet<string> = new Set([
  'LATCHKEY_REFRESH_UNAVAILABLE',
  'LATCHKEY_SESSION_NOT_SENT',
])

/** A refresh that requests share. */
interface Flight {
  readonly refreshed: Promise<AuthSession>
  /** Whether the lock is held. Until then, nothing is sent to the provider. */
  isBegun: boolean
}

/** Creates the {@link Refresher} of one application. */
export function createRefresher(settings: RefreshSettings): Refresher {
  const { now } = settings.options
  const inFlight = new Map<string, Flight>()

  return {
    async accessToken(provider, session, { minValiditySeconds = 30, force = false } = {}) {
      const seen = await session.read()
      const token = seen?.tokens?.accessToken
      if (!seen || !token) throw absent('No user is logged in.')
      const { accessTokenExpiresAt: endsAt = Number.POSITIVE_INFINITY, accessTokenReceivedAt } =
        seen.tokens ?? {}
      const lifetime = endsAt - (accessTokenReceivedAt ?? Number.NEGATIVE_INFINITY)
      // At most half of the lifetime counts. Otherwise a token that lives shorter than
      // `minValiditySeconds` would be refreshed at every request.
      if (!force && endsAt - now() > Math.min(minValiditySeconds, lifetime / 2)) return token
      if (!seen.tokens?.refreshToken) {
        if (endsAt > now() && !force) return token
        throw absent('There is no refresh token; does "scope" ask for "offline_access"?')
      }
      // Requests share a refresh only if they have the same session and the same refresh token.
      const key = refreshKey(session.id, seen.tokens.refreshToken)
      let flight = inFlight.get(key)
      try {
        if (flight) {
          const winner = await flight.refreshed
          await session.reload()
          return tokenOf(winner)
        }
        // If the new tokens cannot be stored, the session would keep a token that is used up.
        session.mustBeWritable()
        flight = beginRefresh(settings, provider, session, seen)
        inFlight.set(key, flight)
        try {
          return tokenOf(await flight.refreshed)
        } finally {
          inFlight.delete(key)
        }
      } catch (error) {
        const { code = '' } = error as { code?: string }
        const isKept =
          KEEPS_TOKEN.has(code) || (code === 'LATCHKEY_SESSION_UNAVAILABLE' && !flight?.isBegun)
        if (isKept && !force && endsAt > now()) return token
        throw error
      }
    },
  }
}

/** Begins to refresh a session while no other request refreshes it or gives it a new id. */
function beginRefresh(
  settings: RefreshSettings,
  provider: Provider,
  session: StoredSession,
  seen: AuthSession,
): Flight {
  const { publish, telemetry } = settings
  const use = (): Promise<AuthSession> => {
    flight.isBegun = true
    return refresh(settings, provider, session, seen)
  }
  const waits = (): void => publish('token.refresh_waited', { issuer: seen.issuer })
  const flight: Flight = {
    isBegun: false,
    refreshed: telemetry.step('refresh', () => session.alone(use, waits)),
  }
  return flight
}

/**
 * Refreshes a session that was just read again, and stores the result.
 *
 * @param seen - The session as the request has read it. A session that was refreshed since is not
 *   refreshed again.
 */
async function refresh(
  settings: RefreshSettings,
  provider: Provider,
  session: StoredSession,
  seen: AuthSession,
): Promise<AuthSession> {
  const { options, publish, telemetry } = settings
  const stored = session.current
  if (!stored) throw rejected('The session has ended.')
  if (isRefreshed(stored, seen)) return stored
  const user = userHash(stored.issuer, stored.sub)
  const received: Received = {}
  const refreshed = await requestTokens(provider, stored, settings, received).catch(
    async (error) => {
      publish('token.refresh_failed', { issuer: stored.issuer, user, code: error.code }, error)
      await keepRefreshToken(session, stored, received)
      if (error.code !== 'LATCHKEY_REFRESH_REJECTED') throw error
      const later = await session.reload()
      if (later && isRefreshed(later, stored)) return later
      await session.end()
      throw error
    },
  )
  const kept = await afterHook(options, refreshed).catch(async (error) => {
    await keepRefreshToken(session, stored, received)
    throw error
  })
  if (!(await session.update(kept))) {
    const later = await session.reload()
    if (later) return later
    throw rejected('The session ended while it was refreshed.')
  }
  publish('token.refreshed', { issuer: stored.issuer, user })
  telemetry.succeeded('refresh')
  return kept
}

/** Calls the hook `onSession` for a refreshed session. Resolves to the session to store. */
async function afterHook(
  { hooks }: ResolvedAuthOptions,
  refreshed: AuthSession,
): Promise<AuthSession> {
  return (await hooks.onSession?.(refreshed, 'refresh')) ?? refreshed
}

/** The refresh token of a response, whether or not the response can be used. */
interface Received {
  refreshToken?: string | undefined
}

/** The new refresh token of a response, unless its ID token names another user. */
function refreshTokenFor(sub: string, answer: Members): string | undefined {
  const { refresh_token: token, id_token: idToken } = answer
  const payload = typeof idToken === 'string' ? decodeJwt(idToken)?.payload : undefined
  const { sub: named = sub } = presentMembers(payload ?? {})
  return typeof token === 'string' && named === sub ? token : undefined
}

/**
 * Keeps the refresh token of a response that is otherwise unusable, because many providers have
 * revoked the previous refresh token.
 */
async function keepRefreshToken(
  session: StoredSession,
  stored: AuthSession,
  { refreshToken }: Received,
): Promise<void> {
  if (!refreshToken || !stored.tokens) return
  await session.update({ ...stored, tokens: { ...stored.tokens, refreshToken } })
}

/**
 * Whether another request has refreshed the session. A new refresh token alone is not enough; see
 * {@link keepRefreshToken}.
 */
function isRefreshed({ tokens: now }: AuthSession, { tokens: before }: AuthSession): boolean {
  return (
    now?.accessToken !== before?.accessToken ||
    now?.accessTokenExpiresAt !== before?.accessTokenExpiresAt
  )
}

async function requestTokens(
  provider: Provider,
  session: AuthSession,
  { options, publish }: RefreshSettings,
  received: Received,
): Promise<AuthSession> {
  const { now } = options
  const refreshToken = session.tokens?.refreshToken ?? ''
  let expected: IdTokenExpectations | undefined
  try {
    const { issuer } = await provider.metadata()
    const { entraTenants, clientId } = provider
    expected = { issuer, entraTenants, clientId, now: now() }
    // A session from before the option `dpop` was set has no key yet.
    const proofKey =
      session.tokens?.proofKey ?? (provider.dpop ? await provider.proofs.makeKey() : undefined)
    const { tokens, idToken } = await provider.call(async (client, configuration, sent) => {
      const proof = proofKey && {
        DPoP: await provider.proofs.handle(client, configuration, proofKey),
      }
      const answer = client
        .refreshTokenGrant(configuration, refreshToken, options.tokenParams, proof || {})
        .finally(() => {
          received.refreshToken = refreshTokenFor(session.sub, sent())
        })
      return { tokens: await answer, idToken: sent().id_token as string | undefined }
    })
    if (provider.dpop && tokens.token_type !== 'dpop') {
      throw unusable('the access token is not bound to a key')
    }
    const claims = tokens.claims()
    if (claims) {
      const { header, fault } = await provider.verify(idToken ?? '')
      if (!header) throw unusable(`the signature of the ID token ${fault}`)
      if (claims.sub !== session.sub) {
        throw rejected('The provider answered the refresh with tokens of another user.')
      }
      const accessToken = tokens.access_token
      const wrong = idTokenFault(claims, { ...expected, now: now(), accessToken, alg: header.alg })
      if (wrong) throw unusable(wrong.message)
    }
    const expiresIn = tokens.expiresIn()
    const receivedAt = now()
    const userinfo = await (options.userinfo === 'never'
      ? Promise.resolve(undefined)
      : readUserInfo(
          provider,
          { accessToken: tokens.access_token, proofKey },
          session.sub,
          receivedAt,
        )
    ).catch((error) => {
      // The new tokens must be stored in any case. The user is read again later.
      if (!(error instanceof CallbackError || error instanceof ProviderError)) throw error
      publish('user.refresh_failed', { issuer: session.issuer, code: error.code })
      return undefined
    })
    const lastIdToken = decodeJwt(session.idToken ?? '')?.payload
    const sources = { idToken: claims, lastIdToken, userinfo }
    return {
      ...session,
      ...(await sessionUser(options, sources, session).catch((error) => {
        throw claimsError(error)
      })),
      idToken: idToken ?? session.idToken,
      tokens: {
        accessToken: tokens.access_token,
        accessTokenExpiresAt: expiresIn === undefined ? undefined : receivedAt + expiresIn,
        accessTokenReceivedAt: receivedAt,
        refreshToken: tokens.refresh_token ?? refreshToken,
        scope: tokens.scope ?? session.tokens?.scope,
        ...(proofKey !== undefined && { proofKey }),
      },
    }
  } catch (error) {
    throw refreshError(error, [refreshToken, provider.clientSecret()], expected)
  }
}

function refreshError(
  error: unknown,
  secrets: readonly (string | undefined)[],
  expected: IdTokenExpectations | undefined,
): RefreshError {
  if (error instanceof RefreshError) return error
  if (isResponseBodyError(error)) {
    const detail = quoted(error.error, error.error_description, secrets)
    return NEEDS_LOGIN.has(error.error)
      ? rejected(`The provider no longer accepts the refresh token: ${detail}.`)
      : unavailable(`The provider refused the refresh with ${detail}.`)
  }
  if (isUnavailable(error)) {
    const cause = providerError(error, 'did not answer')
    return unavailable('The provider did not answer the refresh.', cause)
  }
  const known = kitCause(error)
  if (known) return unavailable(`The provider could not be asked: ${known.message}`, known)
  const { claims, reason, status } = factsOf(error)
  const wrong = claims && expected && idTokenFault(claims, expected)
  if (wrong) return unusable(wrong.message)
  return unusable(status === undefined ? (reason ?? 'it is malformed') : `status ${status}`)
}

/** A user who does not fit the option `claims` is logged out. A schema that fails logs no user out. */
function claimsError(error: unknown): RefreshError {
  if (error instanceof CallbackError) return rejected(error.message, error)
  return schemaFailed(error)
}

/** The error for a schema that has thrown one of its own, which says nothing about the user. */
export function schemaFailed(cause: unknown): RefreshError {
  const message = 'The schema of the option "claims" failed.'
  const known = cause instanceof LatchkeyError ? cause : schemaError(message, cause)
  return unavailable(message, known)
}

function unusable(reason: string): RefreshError {
  return unavailable(
    `The provider's answer to the refresh cannot be used: ${reason.replace(/\.$/, '')}.`,
  )
}

function tokenOf(session: AuthSession): string {
  if (!session.tokens) throw absent('The session holds no tokens.')
  return session.tokens.accessToken
}

function unavailable(message: string, cause?: unknown): RefreshError {
  return new RefreshError('LATCHKEY_REFRESH_UNAVAILABLE', message, cause ? { cause } : {})
}

function rejected(message: string, cause?: unknown): RefreshError {
  return new RefreshError('LATCHKEY_REFRESH_REJECTED', message, cause ? { cause } : {})
}

function absent(message: string): RefreshError {
  return new RefreshError('LATCHKEY_TOKEN_ABSENT', message)
}
