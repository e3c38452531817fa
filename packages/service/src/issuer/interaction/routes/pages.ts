import { OWN_CALLBACK, SHARED_CALLBACK } from '../../../domain/connections/callback-paths.ts'
import { findLogo } from '../../../domain/tenants/logos.ts'
import { logoPath } from '../../../domain/tenants/tenant-features.ts'
import { allowsKeys, isSignupOpen } from '../../../domain/ways/login-methods.ts'
import {
  fontHeaders,
  markHeaders,
  markOf,
  markPaths,
  scriptHeaders,
  scripts,
  typeface,
} from '../../../pages/index.ts'
import { brandingFor } from '../../requests/branding.ts'
import { type Form, readForm, redirect, sendJson } from '../../requests/http.ts'
import { accountPaths } from '../../requests/paths.ts'
import { showContest, submitContest } from '../first/contest-link.ts'
import { reset, showReset } from '../first/reset-link.ts'
import { requestReset, showResetRequest } from '../first/reset-request.ts'
import { showUndo, undo } from '../first/undo-link.ts'
import { showVerify, verify } from '../first/verify-link.ts'
import { showLoginOff, showNotFound, showStartAgain } from '../flow/dead-end.ts'
import { applicationIdIn, type FlowRequest } from '../flow/flow-request.ts'
import { isLoginOn } from '../flow/offered.ts'
import { showOutbox } from '../flow/outbox.ts'
import { type PageRoute, pageAt } from '../flow/page-route.ts'
import { returnFromProvider } from '../flow/social-trip.ts'
import { interactionPages } from './interaction.ts'

/** The routes of the hosted pages and their files, except those of the account. */
export const hostedPages: readonly PageRoute[] = [
  ...interactionPages,
  { method: 'GET', path: SHARED_CALLBACK, run: returnFromProvider },
  { method: 'GET', path: OWN_CALLBACK, run: returnFromProvider },
  ...pageAt('/verify', { show: showVerify, submit: formOf(verify) }),
  ...pageAt('/reset', {
    show: (flow) => (flow.url.searchParams.has('token') ? showReset(flow) : showResetRequest(flow)),
    submit: formOf((flow, form) => (form.has('token') ? reset : requestReset)(flow, form)),
  }),
  ...pageAt('/undo', { show: showUndo, submit: formOf(undo) }),
  ...pageAt('/contest', { show: showContest, submit: formOf(submitContest) }),
  ...pageAt('/signup', {
    show: (flow) =>
      isSignupOpen(flow.tenant.settings)
        ? showStartAgain(flow, 200, 'startAgainHint')
        : showNotFound(flow),
  }),
  ...pageAt('/', { show: showLoginHint }),
  ...pageAt('/login', { show: showLoginHint }),
  // W3C A Well-Known URL for Changing Passwords
  ...pageAt('/.well-known/change-password', {
    show: ({ response }) => redirect(response, accountPaths.password),
  }),
  ...pageAt('/.well-known/passkey-endpoints', { show: sendPasskeyEndpoints }),
  ...pageAt('/x/outbox', { show: showOutbox }),
  ...scripts.map(({ path, text }) => asset(path, () => text, scriptHeaders)),
  ...typeface.map(({ path, bytes }) => asset(path, () => bytes, fontHeaders)),
  { method: 'GET', path: logoPath(':hash'), name: 'asset', run: sendLogo },
  ...markPaths.map((path) =>
    asset(path, ({ tenant, request }) => markOf(brandingFor(tenant, request)), markHeaders),
  ),
]

async function showLoginHint(flow: FlowRequest): Promise<void> {
  if (!(await isLoginOn(flow))) return showLoginOff(flow)
  return showStartAgain(flow, 200, 'startAgainHint')
}

/**
 * Sends the tenant's uploaded logo. The hash in the path must be that of the current logo. The
 * headers make sure that a browser which opens the image directly treats it as an image only.
 */
async function sendLogo(flow: FlowRequest, { hash = '' }: { hash?: string }): Promise<void> {
  const { tenant, context, response } = flow
  const bytes = await findLogo(context.domain, tenant, hash)
  if (!bytes || !tenant.logo) return showNotFound(flow)
  response.writeHead(200, {
    'content-type': tenant.logo.type,
    'content-length': bytes.length,
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })
  response.end(bytes)
}

/** The route of a static file for the pages. */
function asset(
  path: string,
  contentOf: (flow: FlowRequest) => string | Buffer,
  headers: Readonly<Record<string, string>>,
): PageRoute {
  const run = (flow: FlowRequest): void => {
    const content = contentOf(flow)
    flow.response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(content) })
    flow.response.end(content)
  }
  return { method: 'GET', path, name: 'asset', run }
}

/**
 * Tells password managers the page on which passkeys are added and removed.
 *
 * @see A Well-Known URL for Relying Party Passkey Endpoints
 */
async function sendPasskeyEndpoints(flow: FlowRequest): Promise<void> {
  if (!allowsKeys(flow.tenant.settings)) return showNotFound(flow)
  const page = `${flow.facts.issuer}${accountPaths.security}`
  sendJson(flow.response, 200, { enroll: page, manage: page }, {})
}

/**
 * Wraps the handler of a form that continues the action of a link. The form is read first; its
 * application and languages replace those of the request.
 */
function formOf(
  handle: (flow: FlowRequest, form: Form) => Promise<void>,
): (flow: FlowRequest) => Promise<void> {
  return async (flow) => {
    const form = await readForm(flow.request)
    const applicationId = applicationIdIn(form.get('application')) ?? flow.applicationId
    const uiLocales = form.get('ui_locales') ?? flow.uiLocales
    return handle({ ...flow, applicationId, uiLocales }, form)
  }
}
