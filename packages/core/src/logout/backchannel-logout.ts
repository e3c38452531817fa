import type { RequestContext } from '../context.ts'
import { LogoutError } from '../errors/errors.ts'
import { readForm } from '../http/body.ts'
import type { AuthResponse } from '../http/request.ts'
import { userHash } from '../log/events.ts'
import { CLOCK_TOLERANCE_SECONDS } from '../provider/clock.ts'
import { printable } from '../provider/errors.ts'
import { FAPI_ALGORITHMS } from '../provider/fapi.ts'
import type { Provider } from '../provider/provider.ts'
import { type DecodedJwt, decodeJwt } from '../provider/signed/jwt.ts'
import { endSessions } from '../session/end-sessions.ts'
import { presentMembers } from '../shared/present-members.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const MAX_AGE_SECONDS = 600
const MAX_TOKEN_LENGTH = 16_384

/** The checked content of a logout token. At least one of `sub` and `sid` has a value. */
interface LogoutClaims {
  /** The replay-cache key of the token, and the seconds for which it has to be remembered. */
  readonly mark: { readonly key: string; readonly seconds: number }
  readonly issuer: string
  readonly sub: string | undefined
  readonly sid: string | undefined
  readonly issuedAt: number
}

/**
 * Handles a logout token: destroys the sessions of its `sid`, or all sessions of its `sub`. Cached
 * keys of the provider are used if they fit, so the provider need not be reachable.
 *
 * The token counts as used only after the sessions were destroyed, so that the provider can send it
 * again after an error.
 *
 * @throws {@link LogoutError} with `LATCHKEY_LOGOUT_TOKEN_INVALID` saying what is wrong with the
 *   token.
 * @see OpenID Connect Back-Channel Logout 1.0 §2.5 to §2.8
 */
export function handleBackchannelLogout(asked: RequestContext): Promise<AuthResponse> {
  return asked.context.telemetry.step('backchannel_logout', () => receive(asked))
}

async function receive(asked: RequestContext): Promise<AuthResponse> {
  const { context } = asked
  const tokens = (await readForm(asked.request)).getAll('logout_token')
  const [token = ''] = tokens
  const jwt = tokens.length === 1 && token.length <= MAX_TOKEN_LENGTH && decodeJwt(token)
  if (!jwt) throw invalid('is missing, repeated or not a JWT')
  const provider = await asked.provider()
  const { mark, issuedAt, ...claims } = await verifyLogoutToken(
    jwt,
    provider,
    context.options.now(),
  )
  let ended = 0
  const isFirst = await context.replays.unlessDone(mark.key, mark.seconds, async () => {
    // Remembered before the search for sessions: a session that is created meanwhile either sees
    // the logout token or is found.
    await context.storedSessions.endedLogins?.remember({ ...claims, issuedAt })
    ended = await endSessions(context.storedSessions, claims)
    await context.options.hooks.onLogoutToken?.({ ...claims, ended })
  })
  if (!isFirst) throw invalid('has been used before')
  context.publish('logout.backchannel', {
    issuer: claims.issuer,
    count: ended,
    ...(claims.sub ? { user: userHash(claims.issuer, claims.sub) } : {}),
  })
  return { status: 200, headers: [] }
}

async function verifyLogoutToken(
  jwt: DecodedJwt,
  provider: Provider,
  now: number,
): Promise<LogoutClaims> {
  const metadata = await provider.metadata()
  const payload = presentMembers(jwt.payload)
  checkHeader(jwt)
  if (payload.iss !== metadata.issuer) {
    const found = printable(payload.iss, 200)
    throw invalid(`is from "${found}", but the provider is "${metadata.issuer}"`)
  }
  const audience = Array.isArray(payload.aud) ? payload.aud : [payload.aud]
  if (!audience.includes(provider.clientId)) throw invalid('is for another client')
  const keys = await provider.keys(jwt.header, 'anybody')
  if (provider.profile && !FAPI_ALGORITHMS.has(jwt.header.alg)) {
    throw invalid(`is signed with "${printable(jwt.header.alg)}", which FAPI 2.0 does not allow`)
  }
  if (!keys.verify(jwt)) throw invalid('has a wrong signature')
  checkTimes(payload, now)
  checkEvent(jwt.payload)
  const { jti, sub, sid, iat, exp = Number(iat) + MAX_AGE_SECONDS } = payload
  if (typeof jti !== 'string' || jti === '') throw invalid('has no "jti"')
  if (!isNameOrMissing(sub) || !isNameOrMissing(sid) || (sub === undefined && sid === undefined)) {
    throw invalid('names neither a user ("sub") nor a session ("sid")')
  }
  const left = Math.min(Math.ceil(Number(exp)) - now, MAX_AGE_SECONDS)
  const mark = {
    key: `logout:${JSON.stringify([metadata.issuer, jti])}`,
    seconds: left + 2 * CLOCK_TOLERANCE_SECONDS,
  }
  return { mark, issuer: metadata.issuer, sub, sid, issuedAt: Number(iat) }
}

function checkHeader({ header }: DecodedJwt): void {
  if (header.crit !== undefined) throw invalid('has a critical header')
  const { typ } = header
  if (typ !== undefined && !/^(application\/)?(logout\+)?jwt$/i.test(String(typ))) {
    throw invalid('is another kind of token')
  }
}

/**
 * Checks `iat` and `exp`. Several providers omit `exp`, so the age of a token is limited as well.
 */
function checkTimes({ iat, exp }: DecodedJwt['payload'], now: number): void {
  if (typeof iat !== 'number') throw invalid('lacks "iat"')
  if (exp !== undefined && typeof exp !== 'number') throw invalid('has an "exp" that is no number')
  if (exp !== undefined && exp <= now - CLOCK_TOLERANCE_SECONDS) throw invalid('has expired')
  if (iat > now + CLOCK_TOLERANCE_SECONDS) throw invalid('is from the future')
  if (iat < now - MAX_AGE_SECONDS) throw invalid('is too old')
}

function checkEvent({ events, nonce }: DecodedJwt['payload']): void {
  if (nonce !== undefined) throw invalid('has a "nonce", as only ID Tokens do')
  const event =
    typeof events === 'object' && events !== null
      ? (events as Record<string, unknown>)[EVENT]
      : undefined
  if (typeof event !== 'object' || event === null) throw invalid('is about another event')
}

function isNameOrMissing(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value !== '')
}

function invalid(what: string): LogoutError {
  return new LogoutError('LATCHKEY_LOGOUT_TOKEN_INVALID', `The logout token ${what}.`)
}
