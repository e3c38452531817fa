import { verifyPassword } from '../../../domain/users/passwords.ts'
import { findAccount } from '../../../domain/users/users.ts'
import { type FirstStep, firstSteps, isSignupOpen } from '../../../domain/ways/login-methods.ts'
import { note } from '../../../domain/writes/audit.ts'
import { keyScript, type LoginWay, type Pages } from '../../../pages/index.ts'
import { countRefused } from '../../../telemetry/logins.ts'
import { type Form, redirect } from '../../requests/http.ts'
import { showLoginOff } from '../flow/dead-end.ts'
import { csrfToken, flowPath, loginPath } from '../flow/flow-path.ts'
import { type InteractionRequest, scopeOf, show } from '../flow/flow-request.ts'
import { isLoginOn, shownConnections } from '../flow/offered.ts'
import { showLinkNeeded, showTooMany } from '../flow/too-many.ts'
import { findDevice } from '../progress/known-device.ts'
import { completeStep, endProgress, stepUp } from '../progress/login-progress.ts'
import { readLink } from '../progress/social-link.ts'
import { isImpersonating } from './impersonate.ts'
import { passkeyOptions } from './passkey-options.ts'
import { continueSignup, readPending } from './pending.ts'
import { currentUser } from './select-account.ts'

/**
 * Shows the login form, or redirects to another page that comes first. Continues at once if a link
 * in a message has just logged the user in, or the session's factors count.
 */
export async function showLogin(flow: InteractionRequest): Promise<void> {
  const { interaction, url } = flow
  if (await isImpersonating(flow)) return redirect(flow.response, flowPath(interaction, '/act'))
  if (!(await isLoginOn(flow))) return showLoginOff(flow)
  if (url.searchParams.get('done') === 'verified' && (await continueSignup(flow))) return
  const start = url.searchParams.get('start')
  if (start === 'other') return showAnew(flow)
  if (start !== 'login' && (await stepUp(flow))) return

  if (start === 'signup' && isSignupOpen(flow.tenant.settings)) {
    return redirect(flow.response, flowPath(interaction, '/signup'))
  }

  const isReset = url.searchParams.get('done') === 'reset'
  const pending = await readPending(flow)
  const isAgain = interaction.prompt.reasons.some((reason) =>
    /^(login_prompt|max_age)$/.test(reason),
  )
  const hint = interaction.params.login_hint
  const hasPassword = flow.tenant.settings.allowPasswords
  const isOffer = url.searchParams.get('offer') === 'stronger'
  await showForm(flow, 200, {
    email: pending?.email ?? (typeof hint === 'string' ? hint : await currentEmail(flow)),
    ...(isReset && { notice: 'loginReset' }),
    ...(!isReset && isAgain && hasPassword && interaction.session && { info: 'loginAgain' }),
    ...(isOffer && { info: 'loginStronger' }),
  })
}

/** Deletes the proven factors, and shows the login form for another email address. */
async function showAnew(flow: InteractionRequest): Promise<void> {
  await endProgress(flow)
  await showForm(flow, 200, { email: '' })
}

/** Verifies the submitted password, and continues the login. */
export async function login(flow: InteractionRequest, form: Form): Promise<void> {
  const { context, facts, tenant } = flow
  const { throttle } = context
  const password = form.get('password') ?? ''
  const email = form.get('email') ?? ''
  if (!tenant.settings.allowPasswords) return showLogin(flow)

  const { user, credentials } = (await findAccount(scopeOf(flow), email)) ?? {}
  const scope = scopeOf(flow, user?.id)
  const attempt = { facts, email, knownDevice: await findDevice(flow, user) }
  const judge = () => verifyPassword(scope, user, password, credentials)
  const outcome = await throttle.tryLogin(attempt, judge)
  countRefused('password', outcome)
  switch (outcome.kind) {
    case 'throttled':
      return showTooMany(flow, outcome.retryAfterSeconds)
    case 'needs_link':
      return showLinkNeeded(flow, flowPath(flow.interaction, '/reset'))
    case 'verified':
      return completeStep(flow, outcome.user, 'password', outcome.loggedInAt, {
        credentials: outcome.credentials,
      })
    case 'refused':
      // Only the operator reads the reason; the visitor reads the same text in every case. The
      // actor is not the user, because a stranger may have typed the address.
      await note(scopeOf(flow), `login.${outcome.reason}`, user?.id ?? 'unknown', 'failure')
      return showForm(flow, 422, {
        email,
        problem: { field: email ? 'password' : 'email', text: 'loginFailed' },
      })
  }
}

/** Shows the login form with the tenant's login methods. */
export async function showForm(
  flow: InteractionRequest,
  status: number,
  shown: Pick<Pages['login'], 'email' | 'problem' | 'notice' | 'info' | 'signal' | 'socialProblem'>,
): Promise<void> {
  const { interaction, tenant } = flow
  const steps = firstSteps(tenant.settings)
  show(flow, status, 'login', {
    ...shown,
    csrf: csrfToken(interaction.uid),
    ways: await Promise.all(steps.map((step) => wayOf(flow, step))),
    script: steps.includes('hardware') ? keyScript.path : undefined,
    social: await shownConnections(flow),
    link: await readLink(flow),
    signupPath: isSignupOpen(tenant.settings) ? flowPath(interaction, '/signup') : undefined,
  })
}

async function wayOf(flow: InteractionRequest, kind: FirstStep): Promise<LoginWay> {
  const { interaction } = flow
  switch (kind) {
    case 'password':
      return { kind, action: loginPath(interaction), resetPath: flowPath(interaction, '/reset') }
    case 'totp_email':
      return { kind, action: flowPath(interaction, '/code') }
    case 'hardware': {
      const action = flowPath(interaction, '/passkey')
      return { kind, action, options: await passkeyOptions(flow) }
    }
  }
}

/**
 * The email address of the user who must log in again; empty if the visitor may log in with another
 * account.
 */
async function currentEmail(flow: InteractionRequest): Promise<string> {
  if (flow.interaction.prompt.name !== 'login') return ''
  return (await currentUser(flow))?.email ?? ''
}
