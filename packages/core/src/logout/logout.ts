import type { RequestContext } from '../context.ts'
import { LogoutError } from '../errors/errors.ts'
import { type AuthRequest, type AuthResponse, pathOf, queryOf } from '../http/request.ts'
import { escapeHtml, onwardPage, page, redirect } from '../http/responses.ts'
import { keptReturnTo, safeReturnTo } from '../http/return-to.ts'
import { isFromTrustedPage, isSentForm } from '../http/sending-page.ts'
import { userHash } from '../log/events.ts'
import { forgetEnd } from '../login/repeated-login.ts'
import { silentLoginMark } from '../login/silent-login.ts'
import type { AuthSession } from '../session/session.ts'
import type { StoredSession } from '../session/stored-session.ts'
import { translate } from '../texts/languages.ts'

/** Options of one logout. */
export interface LogoutRequest {
  /** The page of this site to show after the logout. Sanitized as by `safeReturnTo()`. */
  readonly returnTo?: string | undefined
  /** Whether to end the provider's session too. Default `true`. */
  readonly federated?: boolean
}

const MAX_HINT_LENGTH = 2048

/**
 * The member of the discovery document by which a provider says that it accepts a `sid` as
 * `logout_hint`.
 */
const LOGOUT_HINT = 'latchkey_logout_hint'

/**
 * Answers the logout route. A `POST` from this site logs out. A `GET` logs out if the browser says
 * that the user followed a link on this site; otherwise it shows a page that asks first.
 *
 * @throws {@link LogoutError} with `LATCHKEY_LOGOUT_FORGED` for a `POST` from any other page.
 */
export async function handleLogout(asked: RequestContext): Promise<AuthResponse> {
  const { context, request } = asked
  const returnTo = queryOf(request.url).get('returnTo') ?? undefined
  if (request.method === 'POST') {
    if (!isFromTrustedPage(request, context.options)) {
      throw new LogoutError(
        'LATCHKEY_LOGOUT_FORGED',
        'A logout must be sent by a page of this site: neither Sec-Fetch-Site nor Origin says so.',
      )
    }
    return logOut(asked, { returnTo })
  }
  if (isFollowedLink(request)) return logOut(asked, { returnTo })
  const { logout = '' } = context.options.routes
  const kept = returnTo && safeReturnTo(returnTo, context.options.baseUrl)
  const action = kept ? `${logout}?${new URLSearchParams({ returnTo: kept })}` : logout
  const home = escapeHtml(context.options.baseUrl.pathname)
  const { language, texts } = translate(context.options.languages, request)
  const [button, stay] = [escapeHtml(texts.logOut), escapeHtml(texts.stayLoggedIn)]
  return page({
    title: texts.askLogout,
    language,
    body: `<form method="post" action="${escapeHtml(action)}"><button>${button}</button></form><p class="back"><a href="${home}">${stay}</a></p>`,
    namesOrigin: true,
    icon: 'door',
  })
}

/**
 * Destroys the session of this application, even if the provider cannot be reached. Redirects the
 * visitor to the provider's logout if possible, otherwise to the requested page.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0 §2
 */
export function logOut(asked: RequestContext, logout: LogoutRequest = {}): Promise<AuthResponse> {
  return asked.context.telemetry.step('logout', () => end(asked, logout))
}

async function end(
  asked: RequestContext,
  { returnTo, federated = true }: LogoutRequest,
): Promise<AuthResponse> {
  const { context, request, session } = asked
  const ended = await readable(session)
  await session.end()
  if (ended) {
    const user = userHash(ended.issuer, ended.sub)
    context.publish('logout.local', { issuer: ended.issuer, user })
  }
  const setCookies = [
    ...silentLoginMark(context),
    ...forgetEnd(context.options, request.headers.get('cookie')),
    ...((await context.adoption?.forget(asked)) ?? []),
  ]
  const destination = keptReturnTo(returnTo, context.options.baseUrl, context.log)
  const added = await context.options.hooks.beforeLogout?.(ended)
  const elsewhere =
    federated && ended ? await endSessionUrl(asked, ended, destination, added ?? {}) : undefined
  if (elsewhere) context.publish('logout.federated', { issuer: ended?.issuer ?? '' })
  const answer =
    elsewhere && isSentForm(request)
      ? onwardPage(translate(context.options.languages, request), elsewhere, setCookies)
      : redirect(elsewhere ?? destination, setCookies, 303)
  if (clearsCacheAtOnce(request)) answer.headers.push(['clear-site-data', '"cache"'])
  return answer
}

/**
 * Whether `Clear-Site-Data` for the cache is worth sending. WebKit shows private pages from memory
 * after a logout (over http, even with `no-store`) unless its cache was cleared. Chromium takes
 * seconds to clear the cache, and drops such pages anyway when the session cookie changes.
 */
function clearsCacheAtOnce({ headers }: AuthRequest): boolean {
  return !/\bChrom(e|ium)\//.test(headers.get('user-agent') ?? '')
}

/**
 * Redirects a visitor who comes to `baseUrl` from the provider's logout to the page that is sealed
 * in `state`; `undefined` for every other request.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0 §3
 */
export function returnFromLogout({ context, request }: RequestContext): AuthResponse | undefined {
  const { method, url } = request
  const { logoutState } = context
  const { baseUrl, routes } = context.options
  if (routes.loggedOut || method !== 'GET' || !url.includes('state=')) return undefined
  // A proxy may add or remove the slash at the end.
  if (withSlash(pathOf(url)) !== withSlash(baseUrl.pathname)) return undefined
  const state = queryOf(url).get('state')
  const returnTo = state ? logoutState.open(state) : undefined
  return returnTo === undefined ? undefined : redirect(returnTo, [], 303)
}

/**
 * Answers the route to which the provider's logout returns the visitor: redirects to the page that
 * is sealed in `state`, or shows a page that confirms the logout.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0 §3
 */
export async function handleLoggedOut({ context, request }: RequestContext): Promise<AuthResponse> {
  const sealed = queryOf(request.url).get('state')
  const returnTo = sealed ? context.logoutState.open(sealed) : undefined
  if (returnTo) return redirect(returnTo, [], 303)
  const { login } = context.options.routes
  const { language, texts } = translate(context.options.languages, request)
  const again = escapeHtml(texts.logInAgain)
  return page({
    title: texts.loggedOut,
    language,
    icon: 'check',
    body: login ? `<a class="button" href="${escapeHtml(login)}">${again}</a>` : '',
  })
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}

/**
 * The login of a session; `undefined` if the store did not answer. `session.end()` reports that
 * failure.
 */
async function readable(session: StoredSession): Promise<AuthSession | undefined> {
  try {
    return await session.read()
  } catch {
    return undefined
  }
}

/**
 * The URL of the provider's logout; `undefined` if the provider has none or cannot be reached, or
 * the session is from another provider.
 */
async function endSessionUrl(
  asked: RequestContext,
  ended: AuthSession,
  destination: string,
  added: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const { options, logoutState } = asked.context
  try {
    const provider = await asked.provider()
    if (provider.issuer !== ended.registeredIssuer) return undefined
    const metadata = await provider.metadata()
    const { end_session_endpoint: endpoint } = metadata
    if (!endpoint) return undefined
    const { baseUrl, routes } = options
    const isHome = destination === baseUrl.pathname
    const url = new URL(endpoint)
    const parameters: Record<string, string | false> = {
      ...added,
      client_id: provider.clientId,
      post_logout_redirect_uri: routes.loggedOut ? baseUrl.origin + routes.loggedOut : baseUrl.href,
      ...(isHome ? {} : { state: logoutState.seal(destination) }),
      ...hintOf(ended, metadata[LOGOUT_HINT] === 'sid'),
      ...options.logoutParams,
    }
    for (const [name, value] of Object.entries(parameters)) {
      if (value === false) url.searchParams.delete(name)
      else url.searchParams.set(name, value)
    }
    return url.href
  } catch {
    return undefined
  }
}

/**
 * The parameter by which the provider recognizes the session; none without an ID token and `sid`. A
 * long ID token is replaced by the `sid`, if the provider supports that, otherwise by `sub`,
 * because proxies accept only 4 or 8 kB of headers.
 */
function hintOf({ idToken, sid, sub }: AuthSession, takesSid: boolean): Record<string, string> {
  if (idToken && idToken.length <= MAX_HINT_LENGTH) return { id_token_hint: idToken }
  if (sid && takesSid) return { logout_hint: sid }
  return idToken ? { logout_hint: sub } : {}
}

/**
 * Whether a person followed a link on a page of this origin. Prefetches, images and frames have
 * other headers.
 */
function isFollowedLink({ method, headers }: AuthRequest): boolean {
  return (
    method === 'GET' &&
    headers.get('sec-fetch-site') === 'same-origin' &&
    headers.get('sec-fetch-mode') === 'navigate' &&
    headers.get('sec-fetch-user') === '?1' &&
    !headers.get('sec-purpose') &&
    !headers.get('purpose')
  )
}
