import { buildEndSessionUrl } from 'openid-client'
import type { AuthContext } from './context.ts'
import { LogoutError } from './errors.ts'
import type { AuthRequest } from './request.ts'
import { escapeHtml, page, redirect } from './responses.ts'
import type { AuthSession, SessionHandle } from './session.ts'

/**
 * Answers the logout route. A `POST` from this site signs out; a `GET` signs out when the browser
 * itself says that a person followed a link on this very site, and asks otherwise.
 *
 * @throws {@link LogoutError} with `LATCHKEY_LOGOUT_FORGED` for a `POST` from anywhere else.
 */
export async function handleLogout(
  context: AuthContext,
  request: AuthRequest,
  session: SessionHandle,
): Promise<Response> {
  if (request.method === 'POST') {
    if (!isFromThisSite(request, context.options.baseUrl)) {
      throw new LogoutError(
        'LATCHKEY_LOGOUT_FORGED',
        'A logout must be sent by a page of this site: neither Sec-Fetch-Site nor Origin says so.',
      )
    }
    return logOut(context, session)
  }
  if (isFollowedLink(request)) return logOut(context, session)
  const action = escapeHtml(context.options.routes.logout ?? '')
  return page({
    title: 'Sign out?',
    body: `<form method="post" action="${action}"><button>Sign out</button></form>`,
  })
}

/**
 * Ends the session here, whatever happens at the provider, and sends the visitor on to end the
 * provider's session too, when it can.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0 §2
 */
export async function logOut(context: AuthContext, session: SessionHandle): Promise<Response> {
  const ended = await session.read()
  await session.end()
  return redirect((await endSessionUrl(context, ended)) ?? '/', [], 303)
}

async function endSessionUrl(
  { provider, options }: AuthContext,
  ended: AuthSession | undefined,
): Promise<string | undefined> {
  if (!ended) return undefined
  try {
    const configuration = await provider.configuration()
    if (!configuration.serverMetadata().end_session_endpoint) return undefined
    return buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: `${options.baseUrl.origin}/`,
      ...(ended.idToken ? { id_token_hint: ended.idToken } : {}),
    }).href
  } catch {
    return undefined
  }
}

function isFromThisSite(request: AuthRequest, baseUrl: URL): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site) return site === 'same-origin'
  return request.headers.get('origin') === baseUrl.origin
}

/** A person followed a link on a page of this origin; no prefetch, image or frame says so. */
function isFollowedLink({ headers }: AuthRequest): boolean {
  return (
    headers.get('sec-fetch-site') === 'same-origin' &&
    headers.get('sec-fetch-mode') === 'navigate' &&
    headers.get('sec-fetch-user') === '?1' &&
    !headers.get('sec-purpose') &&
    !headers.get('purpose')
  )
}
