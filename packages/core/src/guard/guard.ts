import type { RequestContext } from '../context.ts'
import { AccessError, type AccessErrorCode } from '../errors.ts'
import { userHash } from '../events.ts'
import type { AuthRequest, AuthResponse } from '../http/request.ts'
import { isFromTrustedPage, isWrite, sendingPage } from '../http/sending-page.ts'
import { beginLogin } from '../login/login.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { Provider } from '../provider/provider.ts'
import type { AuthSession } from '../session/session.ts'
import { explain, failedOf } from './failed-requirement.ts'
import { isApiRequest } from './is-api-request.ts'
import { rehearse } from './rehearsal.ts'
import { checkRequirement, type Requirement } from './requirement.ts'

const MIN_MAX_AGE = 60
const ANY_USER: Requirement<never, never> = {}

/** The request that a guard decides about. */
export interface GuardedRequest extends RequestContext {
  /** The session, if it counts for this request. */
  readonly current: AuthSession | undefined
}

/**
 * Decides whether a request may go on; at once when nothing has to be waited for.
 *
 * @param subject - What checks receive as the request; adapters pass their framework's.
 * @returns `undefined` when it may, otherwise the response to send instead: a login for a page, 401
 *   with problem details for a program, and 403 for a user who is logged in and not allowed.
 * @throws {@link SessionStoreError} when the store did not answer.
 */
export function authorize(
  asked: GuardedRequest,
  requirement: Requirement<never, never> = ANY_USER,
  subject: unknown = asked.request,
): MaybePromise<AuthResponse | undefined> {
  checkRequirement(requirement)
  const { context, request, session, current } = asked
  if (session.failure) throw session.failure
  if (!current) return askToLogIn(asked, requirement, 'LATCHKEY_LOGIN_REQUIRED')
  const { options } = context
  if (isWrite(request.method) && options.checksWrites && !isFromTrustedPage(request, options)) {
    return refuseOtherPage(asked, requirement, current)
  }
  const tooWeak = weaknessOf(current, requirement, options.now())
  if (requirement.enforce === false) {
    return rehearse(context, current, requirement, subject, tooWeak)
  }
  if (tooWeak) return askToLogIn(asked, requirement, 'LATCHKEY_STEP_UP_REQUIRED', tooWeak)
  const failed = failedOf(options, current.user, requirement, subject)
  if (failed === undefined) return undefined
  return refuseIfFailed(failed, asked, requirement, current)
}

/** A session, if it was made with this provider: it counts for no other. */
export function sessionAt(
  provider: Provider,
  found: AuthSession | undefined,
): AuthSession | undefined {
  return found?.registeredIssuer === provider.issuer && found.clientId === provider.clientId
    ? found
    : undefined
}

/** Another page made the browser send its session along: nothing that the user wanted. */
function refuseOtherPage(
  asked: RequestContext,
  requirement: Requirement<never, never>,
  current: AuthSession,
): Promise<AuthResponse> {
  const { request } = asked
  const message = `A ${request.method} behind a guard must be sent by a page of this site: ${sendingPage(request)}.`
  const error = new AccessError('LATCHKEY_REQUEST_FORGED', message, { failed: 'origin' })
  return refuse(error, asked, requirement, current)
}

async function refuseIfFailed(
  failing: MaybePromise<string | undefined>,
  asked: RequestContext,
  requirement: Requirement<never, never>,
  current: AuthSession,
): Promise<AuthResponse | undefined> {
  const failed = await failing
  if (failed === undefined) return undefined
  const message = explain(failed, asked.context.options, current.user, requirement)
  const error = new AccessError('LATCHKEY_FORBIDDEN', message, { failed })
  return refuse(error, asked, requirement, current)
}

function refuse(
  error: AccessError,
  { context, request }: RequestContext,
  requirement: Requirement<never, never>,
  { issuer, sub }: AuthSession,
): Promise<AuthResponse> {
  const { code, correlationId, failed = '' } = error
  const user = userHash(issuer, sub)
  context.publish('access.refused', { issuer, user, code, correlationId, failed })
  return context.answerError(error, request, { api: answersProgram(request, requirement) })
}

function askToLogIn(
  asked: RequestContext,
  requirement: Requirement<never, never>,
  code: AccessErrorCode,
  failed?: string,
): Promise<AuthResponse> {
  const { context, request } = asked
  const stepUp = code === 'LATCHKEY_STEP_UP_REQUIRED'
  const acr = stepUp ? listOf(requirement.acr) : undefined
  const maxAge = stepUp ? requirement.maxAge : undefined
  if (!answersProgram(request, requirement)) {
    return beginLogin(asked, { returnTo: returnToOf(request), acr, maxAge })
  }
  const { login } = context.options.routes
  const query = new URLSearchParams()
  if (acr) query.set('acr_values', acr.join(' '))
  if (maxAge !== undefined) query.set('max_age', String(maxAge))
  const error = new AccessError(
    code,
    stepUp ? 'A more recent or stronger login is needed.' : 'No user is logged in.',
    { failed },
  )
  return context.answerError(error, request, {
    api: true,
    loginUrl: login && (query.size > 0 ? `${login}?${query}` : login),
    headers: { 'www-authenticate': `Session error="${stepUp ? 'step_up' : 'login'}_required"` },
  })
}

/** The part of a requirement that asks for a stronger or a more recent login than this one. */
function weaknessOf(
  found: AuthSession,
  { acr, maxAge }: Requirement<never, never>,
  now: number,
): 'acr' | 'maxAge' | undefined {
  if (acr !== undefined && !listOf(acr)?.includes(found.acr ?? '')) return 'acr'
  if (maxAge === undefined) return undefined
  const isRecent =
    found.authTime !== undefined && now - found.authTime <= Math.max(maxAge, MIN_MAX_AGE)
  return isRecent ? undefined : 'maxAge'
}

function answersProgram(
  request: AuthRequest,
  { respond = 'auto' }: Requirement<never, never>,
): boolean {
  return respond === 'auto' ? isApiRequest(request) : respond === 'json'
}

/** A page that was asked for is where the login ends; what a form was sent to is not. */
function returnToOf(request: AuthRequest): string | undefined {
  if (request.method === 'GET' || request.method === 'HEAD') return request.url
  return request.headers.get('referer') ?? undefined
}

function listOf(acr: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof acr === 'string' ? [acr] : acr
}
