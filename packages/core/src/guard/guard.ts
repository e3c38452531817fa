import type { RequestContext } from '../context.ts'
import { AccessError } from '../errors/errors.ts'
import { sendsToken } from '../http/bearer-header.ts'
import type { AuthResponse } from '../http/request.ts'
import { isFromOtherPage, opensSocket, sendingPage } from '../http/sending-page.ts'
import { weaknessOf } from '../login/session-strength.ts'
import type { AuthSession } from '../session/session.ts'
import type { MaybePromise } from '../shared/maybe-promise.ts'
import { ACTOR_REFUSED, actorRefused } from './acting.ts'
import { resourceParameters, targetOf } from './bearer-target.ts'
import type { BearerLogin } from './bearer-token.ts'
import { explain, failedOf } from './failed-requirement.ts'
import { askForToken, askToLogIn, refuse } from './refusals.ts'
import { rehearse } from './rehearsal.ts'
import { checkRequirement, type Requirement } from './requirement.ts'

const ANY_USER: Requirement<never, never> = {}

/** The request that a guard decides about. */
export interface GuardedRequest extends RequestContext {
  /** The login of the bearer token that was accepted; otherwise that of the session. */
  readonly current: AuthSession | undefined
  /** The login of the session, if it is valid for this request, also beside a bearer token. */
  readonly ofSession: AuthSession | undefined
  /**
   * The user of the bearer token that the latest guard accepted. While this is set, the session is
   * ignored.
   */
  bearer: BearerLogin | undefined
}

/**
 * Decides whether a request may pass. Returns a promise only when it has to wait.
 *
 * @param subject - The request that checks receive: adapters pass the request of their framework.
 *   Default: the kit's request.
 * @returns `undefined` if the request may pass, otherwise the response: a redirect to the login for
 *   a page, 401 with problem details for a program, and 403 for a logged-in user who is not
 *   allowed.
 * @throws {@link SessionStoreError} when the store did not answer; {@link ConfigError} for a
 *   requirement with faults.
 */
export function authorize(
  asked: GuardedRequest,
  requirement: Requirement<never, never> = ANY_USER,
  subject: unknown = asked.request,
): MaybePromise<AuthResponse | undefined> {
  checkRequirement(requirement)
  if (asked.bearer) asked.bearer = undefined
  if (requirement.accept?.includes('bearer')) {
    const answer = authorizeBearer(asked, requirement, subject)
    if (answer) return answer
  }
  return authorizeSession(asked, requirement, subject)
}

/**
 * Decides by the bearer token of a request. Without a token, refuses the request, or returns
 * `undefined` if the guard also accepts sessions.
 */
function authorizeBearer(
  asked: GuardedRequest,
  requirement: Requirement<never, never>,
  subject: unknown,
): Promise<AuthResponse | undefined> | undefined {
  const { request } = asked
  const target = targetOf(asked, requirement)
  if (sendsToken(request)) {
    const decide = ({ authorizeBearer }: Bearer) =>
      authorizeBearer(asked, requirement, target, subject)
    // Even for a loaded module, `import()` waits for the loader. So the loaded module is kept.
    return bearer ? decide(bearer) : loadBearer().then(decide)
  }
  if (requirement.accept?.includes('session')) return undefined
  return askForToken(asked, resourceParameters(target, requirement.scopes))
}

type Bearer = typeof import('./bearer.ts')

let bearer: Bearer | undefined

/**
 * Loads the module for bearer tokens when the first token comes, because most applications need
 * none.
 */
async function loadBearer(): Promise<Bearer> {
  bearer = await import('./bearer.ts')
  return bearer
}

function authorizeSession(
  asked: GuardedRequest,
  requirement: Requirement<never, never>,
  subject: unknown,
): MaybePromise<AuthResponse | undefined> {
  const { context, request, session, current } = asked
  session.mustBeKnown()
  if (!current) return askToLogIn(asked, requirement, 'LATCHKEY_LOGIN_REQUIRED')
  const { options } = context
  if (isFromOtherPage(request, options)) {
    return refuseOtherPage(asked, requirement, current)
  }
  const tooWeak = weaknessOf(current, requirement, options.now())
  const actor = actorRefused(current, requirement, tooWeak)
  if (requirement.enforce === false) {
    return rehearse(context, current, requirement, subject, actor ?? tooWeak)
  }
  if (actor) {
    const error = new AccessError('LATCHKEY_FORBIDDEN', ACTOR_REFUSED, { failed: actor })
    return refuse(error, asked, requirement, current)
  }
  if (tooWeak) return askToLogIn(asked, requirement, 'LATCHKEY_STEP_UP_REQUIRED', tooWeak)
  const failed = failedOf(options, current.user, requirement, subject)
  if (failed === undefined) return undefined
  return refuseIfFailed(failed, asked, requirement, current)
}

/**
 * Refuses a write or WebSocket that a page of another site caused, because the user may not have
 * intended it.
 */
function refuseOtherPage(
  asked: RequestContext,
  requirement: Requirement<never, never>,
  current: AuthSession,
): Promise<AuthResponse> {
  const { request } = asked
  const what = opensSocket(request) ? 'WebSocket' : request.method
  const message = `A ${what} behind a guard must be sent by a page of this site: ${sendingPage(request)}.`
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
