import { hash } from 'node:crypto'
import type { IntrospectionResponse } from 'openid-client'
import type { RequestContext } from '../context.ts'
import { AccessError, CallbackError, ProviderError, RequestError } from '../errors/errors.ts'
import { REMEDIES } from '../errors/remedies.ts'
import { hasTokenInUrl, sendsProof } from '../http/bearer-header.ts'
import type { AuthRequest } from '../http/request.ts'
import type { ResolvedResource } from '../http/resources.ts'
import { withImplied } from '../options/implied-scopes.ts'
import type { ResolvedBearer } from '../options/options.ts'
import { CLOCK_TOLERANCE_SECONDS } from '../provider/clock.ts'
import { printable, providerError } from '../provider/errors.ts'
import type { Provider } from '../provider/provider.ts'
import { type DecodedJwt, decodeJwt } from '../provider/signed/jwt.ts'
import { isSubject } from '../provider/subject.ts'
import { actorOf } from '../session/actor.ts'
import type { AuthSession } from '../session/session.ts'
import { publicSessionId } from '../session/session-directory.ts'
import { sessionUser } from '../session/session-user.ts'
import { presentMembers } from '../shared/present-members.ts'
import type { BearerTarget } from './bearer-target.ts'
import { checkProof } from './proof-of-possession.ts'

/** The login of a bearer token. It is valid for one request, and is not stored. */
export interface BearerLogin {
  /**
   * The id of the token, in the form of the `id` of a `SessionInfo`. This id is a hash, and gives
   * no access.
   */
  readonly id: string
  /** The claims of the token in the form of a session. */
  readonly login: AuthSession
  /** The scopes of the token, with those that they imply. */
  readonly scopes: readonly string[]
  /** The values of the token's `aud`. */
  readonly audience: readonly unknown[]
  /** The client to which the token was issued; `undefined` if the token names no client. */
  readonly clientId: string | undefined
  /**
   * The resource that the last guard required; `undefined` if the guard names none and no resource
   * contains the request.
   */
  readonly resource?: ResolvedResource | undefined
}

type Claims = Readonly<Record<string, unknown>>

const MAX_LENGTH = 16_384
/** The `Authorization` header of a program that forgot to await its token. */
const UNAWAITED = 'Bearer [object Promise]'

/** The last `Authorization` header that was read from each request, with the result. */
const readTokens = new WeakMap<AuthRequest, ReadToken>()

interface ReadToken {
  readonly authorization: string | null
  readonly audiences: readonly string[]
  readonly login: Promise<BearerLogin>
}

/**
 * Reads the bearer token of a request, and verifies it. A JWT access token is verified with the
 * keys of the provider. Any other token is introspected at the provider, if the options allow that.
 * All guards of a request share one result, so that a single-use proof is checked once and the
 * provider is called once.
 *
 * @throws {@link RequestError} for a header that is malformed, or a token in the URL;
 *   {@link AccessError} with `LATCHKEY_BEARER_INVALID` naming the check that the token does not
 *   pass; {@link ProviderError} when the provider is needed and does not answer.
 * @see RFC 6750 §2, RFC 9068 §4, RFC 7662 §2
 */
export async function readBearer(
  asked: RequestContext,
  { audiences }: BearerTarget,
): Promise<BearerLogin> {
  const authorization = asked.request.headers.get('authorization')
  let known = readTokens.get(asked.request)
  while (known?.authorization === authorization) {
    const login = await readFor(known, audiences)
    // A request may last longer than its token, and another guard may be for another resource.
    if (login) {
      if (isOver(login.login.expiresAt, asked.context.options.now())) throw expired()
      checkAudience({ aud: login.audience }, audiences)
      return login
    }
    const latest = readTokens.get(asked.request)
    if (latest === known) break
    known = latest
  }
  const login = readToken(asked, audiences)
  readTokens.set(asked.request, { authorization, audiences, login })
  return login
}

/**
 * The result of an earlier guard. `undefined` if that guard has refused the token for its audience,
 * before a proof was spent, and this guard is for another audience.
 */
async function readFor(
  known: ReadToken,
  audiences: readonly string[],
): Promise<BearerLogin | undefined> {
  try {
    return await known.login
  } catch (error) {
    const isOfOther = audiences.some((one) => !known.audiences.includes(one))
    if (error instanceof AccessError && error.failed === 'token.aud' && isOfOther) return undefined
    throw error
  }
}

async function readToken(
  asked: RequestContext,
  audiences: readonly string[],
): Promise<BearerLogin> {
  const { options } = asked.context
  const { introspection, impliedScopes } = options.bearer as ResolvedBearer
  const token = tokenOf(asked.request)
  const provider = await asked.provider()
  const jwt = decodeJwt(token)
  const name = hash('sha256', token, 'base64url')
  const isAccessToken = jwt && /^(application\/)?at\+jwt$/i.test(String(jwt.header.typ))
  const now = options.now()
  const { issuer } = await provider.metadata()
  if (!isAccessToken && !introspection) throw invalid('typ', 'is no JWT access token')
  const claims = isAccessToken
    ? await verified(name, jwt, provider, { issuer, audiences })
    : await introspected(token, provider, { issuer, audiences })
  // Introspection may leave `exp` out (RFC 7662 §2.2). The login then expires now.
  const expiresAt = expiryOf(claims, now, isAccessToken ? undefined : now)
  const { sub, iat, auth_time: authTime, acr, scope } = claims
  const act = actorOf(claims)
  if (!isSubject(sub)) throw invalid('sub', 'has no "sub" of 1 to 255 ASCII characters')
  await checkBinding(asked, token, claims)
  const { user } = await sessionUser(options, { idToken: claims }).catch(misfit)
  return {
    id: publicSessionId(token, name),
    login: {
      ...{ issuer, registeredIssuer: provider.issuer, clientId: provider.clientId },
      ...{ sub, user, expiresAt },
      createdAt: typeof iat === 'number' ? iat : now,
      authTime: typeof authTime === 'number' ? authTime : undefined,
      acr: typeof acr === 'string' ? acr : undefined,
      ...(act && { act }),
    },
    scopes: withImplied(
      typeof scope === 'string' ? scope.split(' ').filter(Boolean) : [],
      impliedScopes,
    ),
    audience: [claims.aud].flat(),
    clientId: [claims.client_id, claims.azp].find((one) => typeof one === 'string'),
  }
}

function tokenOf(request: AuthRequest): string {
  if (hasTokenInUrl(request)) {
    throw malformed('The access token is in the address. Send it in the Authorization header.')
  }
  if (request.headers.get('authorization') === UNAWAITED) {
    throw invalid('promise', `is "${UNAWAITED}": its sender did not wait for the access token`)
  }
  const [, token] =
    /^(?:bearer|dpop) +([\w\-.~+/]+=*) *$/i.exec(request.headers.get('authorization') ?? '') ?? []
  if (token === undefined || token.length > MAX_LENGTH) {
    throw malformed('The Authorization header has no bearer token, or more than one.')
  }
  return token
}

/**
 * Checks that the sender proves possession of the key that a token is bound to (`jkt`). A token
 * with any other binding is refused, because it cannot be proven here. An unbound token is refused
 * if the options require proofs or the request uses the scheme `DPoP`.
 *
 * @see RFC 9449 §6.1, §6.2, §7.1, §7.2, RFC 7800 §3.1, FAPI 2.0 Security Profile §5.3.4
 */
async function checkBinding(
  asked: RequestContext,
  token: string,
  { cnf, token_type: type }: Claims,
): Promise<void> {
  const isProven = sendsProof(asked.request)
  if (cnf === undefined) {
    if (/^dpop$/i.test(String(type)))
      throw invalid('cnf', 'is bound to a key that it does not name')
    if (isProven) throw invalid('scheme', 'is not bound to a key; send it with the scheme Bearer')
    if (asked.context.options.bearer?.isProofRequired) {
      throw invalid('scheme', 'is not bound to a key, which "bearer.dpop" or "profile" requires')
    }
    return
  }
  const { jkt, ...others } = Object(cnf) as { jkt?: unknown }
  const [other] = Object.keys(others)
  if (other !== undefined || typeof jkt !== 'string') {
    throw invalid('cnf', `is bound by "${printable(other ?? 'cnf')}", which cannot be proven here`)
  }
  if (!isProven) throw invalid('cnf', 'is bound to a key')
  await checkProof(asked, token, jkt)
}

/** The values that the claims of a token must match. */
interface Expected {
  readonly issuer: string
  readonly audiences: readonly string[]
}

/**
 * Verifies a JWT access token (RFC 9068 §4) and returns its claims. The claims are compared before
 * a key is fetched.
 *
 * @param name - The SHA-256 of the token, under which a valid signature is remembered.
 */
async function verified(
  name: string,
  jwt: DecodedJwt,
  provider: Provider,
  { issuer, audiences }: Expected,
): Promise<Claims> {
  const payload = presentMembers(jwt.payload)
  if (payload.iss !== issuer) {
    throw invalid('iss', `is from "${printable(payload.iss, 200)}", not "${issuer}"`)
  }
  checkAudience(payload, audiences)
  const { fault } = await provider.verify(jwt, 'anybody', name)
  if (fault !== undefined) throw invalid('signature', `has a signature that ${fault}`)
  if (typeof payload.exp !== 'number') throw invalid('exp', 'has no "exp"')
  return payload
}

/** Introspects a token at the provider, and returns its claims (RFC 7662 §2.2). */
async function introspected(
  token: string,
  provider: Provider,
  { issuer, audiences }: Expected,
): Promise<Claims> {
  const answer: IntrospectionResponse & Claims = await provider
    .call((client, configuration) => {
      const { introspection_endpoint: endpoint } = configuration.serverMetadata()
      if (endpoint) return client.tokenIntrospection(configuration, token)
      const message = `${issuer} names no "introspection_endpoint", which bearer.introspection needs.`
      throw new ProviderError('LATCHKEY_PROVIDER_INVALID', message)
    })
    .catch((error) => {
      throw providerError(error, 'did not introspect a token', [token])
    })
  const claims = presentMembers(answer)
  if (!claims.active) throw invalid('active', 'is not active, as the provider says')
  const { iss = issuer, token_type: type = 'Bearer' } = claims
  if (iss !== issuer) throw invalid('iss', `is from "${printable(iss, 200)}"`)
  if (typeof type !== 'string' || !/^(bearer|dpop)$/i.test(type)) {
    throw invalid('token_type', 'is no bearer token')
  }
  checkAudience(claims, audiences)
  return claims
}

function checkAudience({ aud }: Claims, audiences: readonly string[]): void {
  const found: unknown[] = [aud].flat()
  if (audiences.some((audience) => found.includes(audience))) return
  const shown = aud === undefined ? 'none' : `"${printable(found.join(', '), 200)}"`
  throw invalid('aud', `is for another audience: ${shown}, not "${audiences.join('" or "')}"`)
}

/**
 * Checks `exp`, `nbf` and `iat` of a token, and returns its expiry in seconds since the epoch.
 *
 * @param withoutExp - The expiry of a token without `exp`. Default: such a token is refused as
 *   expired.
 */
function expiryOf({ exp, nbf, iat }: Claims, now: number, withoutExp?: number): number {
  for (const [name, time] of Object.entries({ exp, nbf, iat })) {
    if (time !== undefined && !Number.isFinite(time))
      throw invalid(name, `has an "${name}" that is no number`)
  }
  const expiresAt = typeof exp === 'number' ? exp : withoutExp
  if (expiresAt === undefined || (exp !== undefined && isOver(expiresAt, now))) throw expired()
  const [latest] = [nbf, iat].filter((time) => Number(time) > now + CLOCK_TOLERANCE_SECONDS)
  if (latest !== undefined) throw invalid('nbf', 'is from the future')
  return expiresAt
}

function isOver(expiresAt: number, now: number): boolean {
  return expiresAt <= now - CLOCK_TOLERANCE_SECONDS
}

function expired(): AccessError {
  return invalid('exp', 'has expired')
}

function misfit(error: unknown): never {
  if (!(error instanceof CallbackError)) throw error
  throw invalid('claims', `does not fit: ${error.message}`)
}

function invalid(failed: string, what: string): AccessError {
  const message = `The bearer token ${what}.`
  const remedy =
    REMEDIES.LATCHKEY_BEARER_INVALID[failed as keyof typeof REMEDIES.LATCHKEY_BEARER_INVALID]
  return new AccessError('LATCHKEY_BEARER_INVALID', message, {
    failed: `token.${failed}`,
    ...(remedy && { remedy }),
  })
}

function malformed(message: string): RequestError {
  return new RequestError('LATCHKEY_REQUEST_INVALID', message)
}
