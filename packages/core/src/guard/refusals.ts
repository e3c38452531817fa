import type { AuthContext, RequestContext } from '../context.ts'
import type { AccessErrorCode } from '../errors/codes.ts'
import { AccessError } from '../errors/errors.ts'
import { REMEDIES } from '../errors/remedies.ts'
import { sendsBearer, sendsProof } from '../http/bearer-header.ts'
import type { ErrorResponseOptions } from '../http/error-response.ts'
import { isApiRequest } from '../http/is-api-request.ts'
import type { AuthRequest, AuthResponse } from '../http/request.ts'
import { safeReturnTo } from '../http/return-to.ts'
import { userHash } from '../log/events.ts'
import { isOwnForm, keepForm } from '../login/kept-forms.ts'
import { beginLogin } from '../login/login.ts'
import { listOf } from '../login/session-strength.ts'
import { FAPI_ALGORITHMS } from '../provider/fapi.ts'
import { needScopes, resourceParameters, scopeOf, targetOf } from './bearer-target.ts'
import type { BearerLogin } from './bearer-token.ts'
import type { Requirement } from './requirement.ts'

/** The issuer and the `sub` of a user. */
interface UserName {
  readonly issuer: string
  readonly sub: string
}

/** Refuses a logged-in user with a page or, for an API request, with problem details. */
export function refuse(
  error: AccessError,
  { context, request }: RequestContext,
  requirement: Requirement<never, never>,
  login: UserName,
): Promise<AuthResponse> {
  publishRefusal(context, error, login)
  return context.answerError(error, request, { api: answersProgram(request, requirement) })
}

/**
 * Publishes the event `access.refused`.
 *
 * @param login - The user who was refused; `undefined` if the request names none.
 */
export function publishRefusal(
  { publish }: Pick<AuthContext, 'publish'>,
  { code, correlationId, failed = '' }: AccessError,
  login: UserName | undefined,
): void {
  const user = login && { issuer: login.issuer, user: userHash(login.issuer, login.sub) }
  publish('access.refused', { ...user, code, correlationId, failed })
}

/**
 * Answers a request without a bearer token with 401, if the guard accepts only tokens (RFC 6750
 * §3.1).
 */
export function askForToken(
  { context, request }: RequestContext,
  parameters: Parameters<typeof bearerChallenge>[1],
): Promise<AuthResponse> {
  const message = 'The request has no bearer token in its Authorization header.'
  const error = new AccessError('LATCHKEY_LOGIN_REQUIRED', message)
  const headers = { 'www-authenticate': bearerChallenge(context, parameters) }
  return context.answerError(error, request, { api: true, headers })
}

/**
 * The `WWW-Authenticate` challenge for a token, with the parameters that have a value. The scheme
 * is `DPoP`, with the algorithms for proofs, if the request used this scheme or only bound tokens
 * are accepted; otherwise `Bearer`.
 *
 * @see RFC 6750 §3, RFC 9449 §7.1
 */
export function bearerChallenge(
  { options }: Pick<AuthContext, 'options'>,
  parameters: Readonly<Record<string, string | undefined>> = {},
  sendsProof = false,
): string {
  const isBound = sendsProof || options.bearer?.isProofRequired === true
  const algs = isBound ? [...FAPI_ALGORITHMS].join(' ') : undefined
  const all = Object.entries({ realm: options.baseUrl.host, ...parameters, algs })
  const given = all.filter(([, value]) => value !== undefined && !/["\\]/.test(value))
  return `${isBound ? 'DPoP' : 'Bearer'} ${given.map(([name, value]) => `${name}="${value}"`).join(', ')}`
}

/**
 * The options of the error response for a bearer token that lacks scopes. Publishes the refusal as
 * well.
 */
export function scopeChallenge(
  asked: RequestContext & { readonly bearer: BearerLogin | undefined },
  error: AccessError,
): ErrorResponseOptions {
  const { context, request, bearer } = asked
  publishRefusal(context, error, bearer?.login)
  const scope = scopeOf(needScopes(asked, error.scopes))
  const challenge = {
    error: 'insufficient_scope',
    scope,
    resource_metadata: bearer?.resource?.metadataUrl,
  }
  return {
    api: true,
    headers: { 'www-authenticate': bearerChallenge(context, challenge, sendsProof(request)) },
  }
}

/**
 * Asks the visitor of a guarded route to log in. A page request is redirected to the login or, with
 * `respond: 'page'`, answered with a page. A program gets an error with the path of the login.
 */
export async function askToLogIn(
  asked: RequestContext,
  requirement: Requirement<never, never>,
  code: AccessErrorCode,
  failed?: string,
): Promise<AuthResponse> {
  const { context, request } = asked
  const stepUp = code === 'LATCHKEY_STEP_UP_REQUIRED'
  const acr = stepUp ? listOf(requirement.acr) : undefined
  const maxAge = stepUp ? requirement.maxAge : undefined
  const api = answersProgram(request, requirement)
  const kept = api ? undefined : await keepForm(asked)
  const returnTo = kept?.path ?? returnToOf(request)
  const setCookies = kept ? [kept.setCookie] : []
  if (!api && requirement.respond !== 'page') {
    const losesForm = !kept && isOwnForm(asked)
    return beginLogin(asked, { returnTo, acr, maxAge }, { count: 0, setCookies, losesForm })
  }
  const { login } = context.options.routes
  const query = new URLSearchParams()
  if (acr) query.set('acr_values', acr.join(' '))
  if (maxAge !== undefined) query.set('max_age', String(maxAge))
  if (!api) query.set('returnTo', safeReturnTo(returnTo, context.options.baseUrl))
  const isTokenIgnored = !stepUp && !requirement.accept?.includes('bearer') && sendsBearer(request)
  const error = isTokenIgnored
    ? ignoredToken()
    : new AccessError(
        code,
        stepUp ? 'A more recent or stronger login is needed.' : 'No user is logged in.',
        { failed },
      )
  const ofSession = `Session error="${stepUp ? 'step_up' : 'login'}_required"`
  const acceptsTokens = !stepUp && requirement.accept?.includes('bearer')
  return context.answerError(error, request, {
    api,
    ...(isTokenIgnored && { detail: NO_TOKENS }),
    loginUrl: login && (query.size > 0 ? `${login}?${query}` : login),
    headers: {
      ...(kept && { 'set-cookie': kept.setCookie }),
      'www-authenticate': acceptsTokens
        ? `${bearerChallenge(context, resourceParameters(targetOf(asked, requirement), requirement.scopes))}, ${ofSession}`
        : ofSession,
    },
  })
}

const NO_TOKENS = 'The request has a bearer token, which this address does not accept.'

/** The error for a program that sends a token to a guard that accepts only sessions. */
function ignoredToken(): AccessError {
  const message =
    'No user is logged in: the request has a bearer token, and the guard accepts sessions alone.'
  const remedy = REMEDIES.LATCHKEY_LOGIN_REQUIRED.bearer
  return new AccessError('LATCHKEY_LOGIN_REQUIRED', message, { failed: 'accept', remedy })
}

function answersProgram(
  request: AuthRequest,
  { respond = 'auto' }: Requirement<never, never>,
): boolean {
  return respond === 'auto' || respond === 'page' ? isApiRequest(request) : respond === 'json'
}

/**
 * The page to return to after the login: the requested page or, for a form, the page that sent it.
 */
function returnToOf(request: AuthRequest): string | undefined {
  if (request.method === 'GET' || request.method === 'HEAD') return request.url
  return request.headers.get('referer') ?? undefined
}
