import { lookUpUser } from '../../../domain/users/users.ts'
import type { PageLink } from '../../../pages/index.ts'
import { readSession } from '../../engine/session.ts'
import { wayHome, wayToApplication } from '../../requests/branding.ts'
import { markBrowser } from '../../requests/browser-cookie.ts'
import { redirect, sendJson } from '../../requests/http.ts'
import { accountPaths } from '../../requests/paths.ts'
import type { Done } from './flow-path.ts'
import { type FlowRequest, show, wantsPage } from './flow-request.ts'

/**
 * Shows a page for a login that is not in progress in this browser: it has expired, was finished,
 * or began in another browser. Every such page has a link to the application.
 */
export async function showDeadEnd(flow: FlowRequest): Promise<void> {
  const { context, tenant, applicationId } = flow
  const onwards = await wayToApplication(context, tenant, applicationId, 'continueTo')
  switch (flow.url.searchParams.get('done') as Done | null) {
    case 'verified':
      return show(flow, 200, 'message', {
        title: 'verifiedTitle',
        text: 'verifiedText',
        link: onwards,
      })
    case 'reset':
      return show(flow, 200, 'message', {
        title: 'resetDoneTitle',
        text: 'resetDoneText',
        link: onwards,
      })
    default:
  }

  const email = await signedInAs(flow)
  if (email !== undefined) {
    const values = { email }
    return show(flow, 200, 'message', {
      title: 'signedInTitle',
      text: 'signedInText',
      values,
      link: onwards,
    })
  }
  if (!flow.request.headers.cookie && wantsPage(flow)) return askForCookies(flow)
  return showStartAgain(flow, 400, 'expiredText')
}

/**
 * The query parameter of a page that is loaded again after a cookie was set. If the cookie is
 * missing in this request, the browser blocks cookies.
 */
const ASKED = 'cookies'

/**
 * Sets a cookie and redirects to the same page, to recognize a browser that blocks cookies. Such a
 * browser gets an error page.
 */
async function askForCookies(flow: FlowRequest): Promise<void> {
  const { context, tenant, applicationId, provider, request, response, url } = flow
  if (!url.searchParams.has(ASKED)) {
    markBrowser(provider.createContext(request, response))
    url.searchParams.set(ASKED, 'asked')
    return redirect(response, url.pathname + url.search)
  }
  show(flow, 400, 'message', {
    title: 'cookiesTitle',
    text: 'cookiesText',
    values: { host: url.host },
    detail: 'LATCHKEY_COOKIES_BLOCKED',
    link: await wayToApplication(context, tenant, applicationId, 'startAgain'),
  })
}

/** Shows that no login is in progress here, with a link to start again. */
export async function showStartAgain(
  flow: FlowRequest,
  status: number,
  text: 'expiredText' | 'startAgainHint',
): Promise<void> {
  const { context, tenant, applicationId } = flow
  const link = await wayToApplication(context, tenant, applicationId, 'startAgain')
  const title = text === 'expiredText' ? 'expiredTitle' : 'loginTitlePlain'
  show(flow, status, 'message', { title, text, link })
}

/** Shows that the tenant has no login method, with a link to the application's start page. */
export async function showLoginOff(flow: FlowRequest): Promise<void> {
  const link = await wayHome(flow.context, flow.tenant, flow.applicationId)
  show(flow, 403, 'message', { title: 'loginOffTitle', text: 'loginOffText', link })
}

/** Refuses a page while an operator acts for a user. */
export function showActing(flow: FlowRequest): void {
  const link = { href: accountPaths.overview, text: 'actingBack' } as const
  show(flow, 403, 'message', { title: 'actingRefusedTitle', text: 'actingRefusedText', link })
}

/** Answers 404. Programs get the URL of the discovery document. */
export async function showNotFound(flow: FlowRequest): Promise<void> {
  if (!wantsPage(flow)) {
    const description = `There is no such endpoint. Those of this issuer are named in ${flow.facts.issuer}/.well-known/openid-configuration.`
    const body = { error: 'invalid_request', error_description: description }
    return sendJson(flow.response, 404, body, {})
  }
  const { context, tenant, applicationId } = flow
  const link = await wayToApplication(context, tenant, applicationId, 'startAgain')
  show(flow, 404, 'message', { title: 'notFoundTitle', text: 'startAgainHint', link })
}

/**
 * Shows that a link in a message is no longer valid.
 *
 * @param again - A link to the page that sends another link. Default: the application, where the
 *   visitor can log in.
 */
export async function showInvalidLink(flow: FlowRequest, again?: PageLink): Promise<void> {
  const { context, tenant, applicationId } = flow
  const link = again ?? (await wayToApplication(context, tenant, applicationId, 'startAgain'))
  show(flow, 410, 'message', { title: 'linkInvalidTitle', text: 'linkInvalidText', link })
}

/**
 * The email address of the user who is logged in in this browser; `undefined` if no user is logged
 * in, or if an operator acts for the user.
 */
async function signedInAs(flow: FlowRequest): Promise<string | undefined> {
  const { context, provider, tenant, request, response } = flow
  const session = await readSession(provider, request, response)
  const { accountId, acting } = session
  const user = accountId && !acting && (await lookUpUser(context.domain, tenant.id, accountId))
  return user ? user.email : undefined
}
