import type { AuthContext } from './context.ts'
import { errorResponse } from './error-response.ts'
import { AccessError } from './errors.ts'
import { isApiRequest } from './is-api-request.ts'
import { beginLogin } from './login.ts'
import type { AuthRequest } from './request.ts'
import type { SessionHandle } from './session.ts'

/** What a guard asks for. Without anything, that somebody is signed in. */
export type Requirement = Readonly<Record<never, never>>

/**
 * Decides whether a request may go on.
 *
 * @returns `undefined` when it may, otherwise the response to send instead: a login for a page,
 *   401 with problem details for a program.
 */
export async function authorize(
  context: AuthContext,
  request: AuthRequest,
  session: SessionHandle,
  _requirement: Requirement = {},
): Promise<Response | undefined> {
  if (await session.read()) return undefined
  if (isApiRequest(request)) {
    const error = new AccessError('LATCHKEY_LOGIN_REQUIRED', 'Nobody is signed in.')
    return errorResponse(error, request, { api: true, loginUrl: context.options.routes.login })
  }
  return beginLogin(context, request, { returnTo: returnToOf(request) })
}

/** A page that was asked for is where the login ends; what a form was sent to is not. */
function returnToOf(request: AuthRequest): string | undefined {
  if (request.method === 'GET' || request.method === 'HEAD') return request.url
  return request.headers.get('referer') ?? undefined
}
