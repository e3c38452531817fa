import { changePassword } from '../../domain/users/accounts.ts'
import { judgePassword } from '../../domain/users/chosen-password.ts'
import { findPassword, hashPassword, verifyPassword } from '../../domain/users/passwords.ts'
import { note } from '../../domain/writes/audit.ts'
import type { Pages } from '../../pages/index.ts'
import { passwordFault, passwordRules } from '../interaction/first/signup.ts'
import { showNotFound } from '../interaction/flow/dead-end.ts'
import { type FlowRequest, mailContextOf, scopeOf, show } from '../interaction/flow/flow-request.ts'
import { showLinkNeeded, showTooMany } from '../interaction/flow/too-many.ts'
import { sendNews } from '../interaction/mail/messages.ts'
import { findDevice } from '../interaction/progress/known-device.ts'
import { exceptThisSession } from '../interaction/second/own-session.ts'
import { type Form, redirect } from '../requests/http.ts'
import { accountPaths } from '../requests/paths.ts'
import type { Visit } from './entry.ts'
import { overviewAfter } from './overview.ts'

/** Shows the form for a new password. */
export function showPassword(flow: FlowRequest, visit: Visit): Promise<void> {
  return showForm(flow, visit, 200)
}

/**
 * Sets a new password, which revokes all other sessions. A user with a password must enter the
 * current password.
 */
export async function setPassword(flow: FlowRequest, visit: Visit, form: Form): Promise<void> {
  const { context, facts, tenant } = flow
  const { user } = visit
  const scope = scopeOf(flow, user.id)
  if (!tenant.settings.allowPasswords) return showNotFound(flow)
  const known = await findPassword(scope, user.id)
  if (known) {
    const attempt = { facts, email: user.email, knownDevice: await findDevice(flow, user) }
    const judge = () => verifyPassword(scope, user, form.get('current') ?? '')
    const outcome = await context.throttle.tryLogin(attempt, judge)
    if (outcome.kind === 'throttled') return showTooMany(flow, outcome.retryAfterSeconds)
    if (outcome.kind === 'needs_link') return showLinkNeeded(flow, '/reset')
    if (outcome.kind === 'refused') {
      await note(scope, `login.${outcome.reason}`, user.id, 'failure')
      return showForm(flow, visit, 422, { field: 'current', text: 'passwordWrong' })
    }
  }
  const { email, profile } = user
  const chosen = form.get('password') ?? ''
  const problem = await judgePassword(context.domain, chosen, { email, profile, tenant })
  if (problem) return showForm(flow, visit, 422, passwordFault(tenant, problem))
  const stored = await hashPassword(scope, chosen, 'login')
  const change = { known: known?.password, next: stored }
  let isTried = false
  const isChanged = await exceptThisSession(flow, user, (ending) => {
    isTried = true
    return changePassword(scope, user.id, change, ending)
  })
  if (!isTried) return redirect(flow.response, accountPaths.password)
  if (!isChanged) return showForm(flow, visit, 422, { field: 'current', text: 'passwordWrong' })
  await sendNews(context, 'changed', mailContextOf(flow), user, { password: known?.password })
  redirect(flow.response, overviewAfter('password'))
}

async function showForm(
  flow: FlowRequest,
  { csrf, user }: Visit,
  status: number,
  problem?: Pages['changePassword']['problem'],
): Promise<void> {
  if (!flow.tenant.settings.allowPasswords) return showNotFound(flow)
  const hasPassword = (await findPassword(scopeOf(flow, user.id), user.id)) !== undefined
  const shown = { csrf, email: user.email, hasPassword, problem }
  show(flow, status, 'changePassword', { ...shown, ...passwordRules(flow) })
}
