import { errors } from 'oidc-provider'
import { lifetimes } from '../../../domain/writes/lifetimes.ts'
import { readAbandoned } from '../../engine/interaction.ts'
import { pushAgain } from '../../engine/push.ts'
import { isMarked, isSameBrowser } from '../../requests/browser-cookie.ts'
import { type Form, readForm, redirect } from '../../requests/http.ts'
import { paths } from '../../requests/paths.ts'
import { confirmEmail, showConfirmEmail } from '../first/confirm-email.ts'
import { answerConsent, showConsent } from '../first/consent.ts'
import { answerDeviceConsent, showDeviceConsent } from '../first/device-consent.ts'
import { impersonate, showImpersonate } from '../first/impersonate.ts'
import { login, showLogin } from '../first/login.ts'
import { showCode, submitCode } from '../first/login-code.ts'
import { logInWithPasskey, showPasskey } from '../first/passkey.ts'
import { requestReset, showResetRequest } from '../first/reset-request.ts'
import { selectAccount, showSelectAccount } from '../first/select-account.ts'
import { sent, showSent } from '../first/sent.ts'
import { showSignup, signup } from '../first/signup.ts'
import { showSocial, submitSocial } from '../first/social.ts'
import { showDeadEnd, showNotFound } from '../flow/dead-end.ts'
import { flowHandle, isCsrfToken } from '../flow/flow-path.ts'
import type { FlowRequest, Interaction, InteractionRequest } from '../flow/flow-request.ts'
import { type PageRoute, pageAt, refuseForm } from '../flow/page-route.ts'
import { showEnrol, submitEnrol } from '../second/enrol.ts'
import { showFactor, submitFactor } from '../second/factor.ts'

interface Page {
  show(flow: InteractionRequest): Promise<void>
  submit(flow: InteractionRequest, form: Form): Promise<void>
}

const loginPages = {
  '': { show: showLogin, submit: login },
  '/passkey': { show: showPasskey, submit: logInWithPasskey },
  '/code': { show: showCode, submit: submitCode },
  '/social': { show: showSocial, submit: submitSocial },
  '/signup': { show: showSignup, submit: signup },
  '/reset': { show: showResetRequest, submit: requestReset },
  '/sent': { show: showSent, submit: sent },
  '/factor': { show: showFactor, submit: submitFactor },
  '/enrol': { show: showEnrol, submit: submitEnrol },
  '/act': { show: showImpersonate, submit: impersonate },
}

/** The pages of each prompt of the policy, by the path after `/login/<handle>`. */
const pages: { [prompt: string]: { [page: string]: Page } } = {
  login: loginPages,
  create: loginPages,
  select_account: {
    ...loginPages,
    '': { show: showSelectAccount, submit: selectAccount },
    '/other': loginPages[''],
  },
  consent: {
    '': {
      show: (flow) => (isOfDevice(flow) ? showDeviceConsent : showConsent)(flow),
      submit: (flow, form) => (isOfDevice(flow) ? answerDeviceConsent : answerConsent)(flow, form),
    },
  },
  verify_email: {
    '': { show: showConfirmEmail, submit: confirmEmail },
  },
}

/** Whether the login is for a device, which the user confirms here. */
function isOfDevice({ interaction }: { interaction: Interaction }): boolean {
  return interaction.deviceCode !== undefined
}

/** The routes of all pages of a login that is in progress. */
export const interactionPages: readonly PageRoute[] = [
  ...new Set(Object.values(pages).flatMap((ofPrompt) => Object.keys(ofPrompt))),
].flatMap((rest) =>
  pageAt(`/login/:handle${rest}`, {
    show: (flow, { handle = '' }) =>
      atPage(flow, handle, rest, (page, current) => page.show(current)),
    submit: (flow, { handle = '' }) =>
      atPage(flow, handle, rest, async (page, current) => {
        const form = await readForm(flow.request)
        if (!isCsrfToken(current.interaction.uid, form.get('csrf'))) return refuseForm(current)
        return page.submit(current, form)
      }),
  }),
)

/**
 * Calls `answer` with a page of the login in progress in this browser. Without such a login,
 * restarts it, or shows that it has expired.
 *
 * @param rest - The path after `/login/<handle>`.
 */
async function atPage(
  flow: FlowRequest,
  handle: string,
  rest: string,
  answer: (page: Page, current: InteractionRequest) => Promise<void>,
): Promise<void> {
  const interaction = await findInteraction(flow, handle)
  if (!interaction) {
    if (!(await startAgain(flow, handle))) await showDeadEnd(flow)
    return
  }
  if (!isSameBrowser(flow.request, interaction.browser)) return startOver(flow, interaction)

  // Opening the first page extends the login. The interaction was read before that, so it still has
  // the short lifetime.
  const isFresh = interaction.exp - interaction.iat <= lifetimes.unopenedSeconds
  const { client_id: applicationId, ui_locales: uiLocales } =
    interaction.params as unknown as Params
  const current: InteractionRequest = {
    ...flow,
    ...{ interaction, isFresh, handle, applicationId, uiLocales },
  }
  const page = pages[interaction.prompt.name]?.[rest]
  return page ? answer(page, current) : showNotFound(current)
}

/**
 * Answers for a login that began in another browser. If this browser has a cookie of the issuer,
 * the login starts again. This browser may nevertheless be the one in which the login began: if two
 * tabs make the first visit at once, the cookie keeps the secret of only one tab.
 */
async function startOver(flow: FlowRequest, interaction: Interaction): Promise<void> {
  if (!isMarked(flow.request)) return showDeadEnd(flow)
  if (isOfDevice({ interaction })) return redirect(flow.response, paths.code_verification)
  const { params, parJti } = interaction
  const query = new URLSearchParams()
  if (parJti !== undefined) {
    query.set('client_id', String(params.client_id))
    const { clock } = flow.context.domain
    query.set('request_uri', await pushAgain(flow.provider, interaction, clock))
    return redirect(flow.response, `${paths.authorization}?${query}`)
  }
  for (const [name, value] of Object.entries(params)) {
    // A parameter such as `resource` may occur several times.
    for (const one of [value].flat()) {
      if (typeof one === 'string' || typeof one === 'number') query.append(name, String(one))
    }
  }
  redirect(flow.response, `${paths.authorization}?${query}`)
}

/**
 * Restarts a login whose session was destroyed in the meantime, for example by a new password. A
 * page with the result of a link is still shown.
 *
 * @returns Whether there was such a login. If so, the request is answered.
 */
async function startAgain(flow: FlowRequest, handle: string): Promise<boolean> {
  const { provider, request, response, url } = flow
  if (url.searchParams.has('done')) return false
  const abandoned = await readAbandoned(provider, request, response)
  if (!abandoned || flowHandle(abandoned.uid) !== handle) return false
  await startOver(flow, abandoned)
  return true
}

interface Params {
  client_id: string
  ui_locales?: string
}

/**
 * The interaction of the request's cookie, if it has the handle in the path; otherwise `undefined`.
 */
async function findInteraction(
  flow: FlowRequest,
  handle: string,
): Promise<Interaction | undefined> {
  try {
    const interaction = await flow.provider.interactionDetails(flow.request, flow.response)
    return flowHandle(interaction.uid) === handle ? interaction : undefined
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined
    throw error
  }
}
