import { allowsKeys, isSignupOpen } from '../../../domain/ways/login-methods.ts'
import { markHeaders, markOf, markPaths, scriptAt, scriptHeaders } from '../../../pages/index.ts'
import { nameRoute } from '../../../telemetry/route.ts'
import { isFormRequest, repeatAsGet } from '../../requests/as-get.ts'
import { brandingFor } from '../../requests/branding.ts'
import { type Form, readForm, redirect, sendJson } from '../../requests/http.ts'
import { accountPaths, SOCIAL_CALLBACK } from '../../requests/paths.ts'
import { reset, showReset } from '../first/reset-link.ts'
import { requestReset, showResetRequest } from '../first/reset-request.ts'
import { showUndo, undo } from '../first/undo-link.ts'
import { showVerify, verify } from '../first/verify-link.ts'
import { showLoginOff, showNotFound, showStartAgain } from '../flow/dead-end.ts'
import { type FlowRequest, show } from '../flow/flow-request.ts'
import { isLoginOn } from '../flow/offered.ts'
import { showOutbox } from '../flow/outbox.ts'
import { returnFromProvider } from '../flow/social-trip.ts'
import { handleInteraction } from './interaction.ts'

/**
 * Answers a request for a hosted page.
 *
 * @param handleAccount - Answers requests below `/account`; resolves to `false` for unknown paths.
 */
export async function handleFlow(
  flow: FlowRequest,
  handleAccount: (flow: FlowRequest) => Promise<boolean>,
): Promise<void> {
  const { request, tenant, url } = flow
  if (isFormRequest(request, url)) return repeatAsGet(request, flow.response, url)
  const isPost = request.method === 'POST'
  if (isPost && isCrossSite(flow)) {
    return show(flow, 403, 'message', { title: 'errorTitle', text: 'errorForm' })
  }
  if (url.pathname.startsWith('/login/')) return handleInteraction(flow)
  if (/^\/account(\/|$)/.test(url.pathname) && (await handleAccount(flow))) return

  // A path that is none of these is named by showOther().
  nameRoute(request, url.pathname)
  switch (url.pathname) {
    case SOCIAL_CALLBACK:
      return returnFromProvider(flow)
    case '/verify':
      return isPost ? submit(flow, verify) : showVerify(flow)
    case '/reset':
      if (isPost)
        return submit(flow, (f, form) => (form.has('token') ? reset : requestReset)(f, form))
      return url.searchParams.has('token') ? showReset(flow) : showResetRequest(flow)
    case '/undo':
      return isPost ? submit(flow, undo) : showUndo(flow)
    case '/signup':
      if (!isSignupOpen(tenant.settings)) return showNotFound(flow)
      return showStartAgain(flow, 200, 'startAgainHint')
    case '/':
    case '/login':
      if (!(await isLoginOn(flow))) return showLoginOff(flow)
      return showStartAgain(flow, 200, 'startAgainHint')
    // W3C A Well-Known URL for Changing Passwords
    case '/.well-known/change-password':
      return redirect(flow.response, accountPaths.password)
    case '/.well-known/passkey-endpoints':
      return sendPasskeyEndpoints(flow)
    case '/x/outbox':
      return showOutbox(flow)
    default:
      return showOther(flow)
  }
}

/** Serves the static files of the pages, or answers 404. */
async function showOther(flow: FlowRequest): Promise<void> {
  const { pathname } = flow.url
  nameRoute(flow.request, 'other')
  const script = scriptAt(pathname)
  if (script !== undefined || markPaths.includes(pathname)) nameRoute(flow.request, 'asset')
  if (script !== undefined) return sendAsset(flow, script, scriptHeaders)
  if (!markPaths.includes(pathname)) return showNotFound(flow)
  sendAsset(flow, markOf(brandingFor(flow.tenant, flow.request)), markHeaders)
}

function sendAsset(
  { response }: FlowRequest,
  text: string,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

/**
 * Tells password managers where passkeys are added and removed.
 *
 * @see A Well-Known URL for Relying Party Passkey Endpoints
 */
async function sendPasskeyEndpoints(flow: FlowRequest): Promise<void> {
  if (!allowsKeys(flow.tenant.settings)) return showNotFound(flow)
  const page = `${flow.facts.issuer}${accountPaths.security}`
  sendJson(flow.response, 200, { enroll: page, manage: page }, {})
}

/** A form of these pages carries on what its link has begun. */
async function submit(
  flow: FlowRequest,
  handle: (flow: FlowRequest, form: Form) => Promise<void>,
): Promise<void> {
  const form = await readForm(flow.request)
  const applicationId = form.get('application') || flow.applicationId
  return handle(
    { ...flow, applicationId, uiLocales: form.get('ui_locales') ?? flow.uiLocales },
    form,
  )
}

/**
 * Browsers say from where a form was sent; no form of ours is on another site. `none` means that
 * the user has reloaded a response.
 */
function isCrossSite({ request }: FlowRequest): boolean {
  const site = request.headers['sec-fetch-site'] ?? 'none'
  return site !== 'same-origin' && site !== 'none'
}
