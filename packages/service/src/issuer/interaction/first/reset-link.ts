import { mayReset, resetPassword } from '../../../domain/users/accounts.ts'
import { judgePassword, type PasswordProblem } from '../../../domain/users/chosen-password.ts'
import { hashPassword } from '../../../domain/users/passwords.ts'
import { lookUpUser } from '../../../domain/users/users.ts'
import { isLinkValid, readStanding } from '../../../domain/ways/valid-links.ts'
import type { StoredPassword, User } from '../../../store/records.ts'
import { type Form, redirect } from '../../requests/http.ts'
import { showDeadEnd, showInvalidLink } from '../flow/dead-end.ts'
import { returnPath } from '../flow/flow-path.ts'
import { type FlowRequest, languageOf, mailContextOf, scopeOf, show } from '../flow/flow-request.ts'
import { type EmailToken, readEmailToken, spendEmailToken } from '../mail/email-tokens.ts'
import { sendNews } from '../mail/messages.ts'
import { passwordFault, passwordRules } from './signup.ts'

/** Shows the form for the new password. The link stays valid until a password is accepted. */
export async function showReset(flow: FlowRequest): Promise<void> {
  const token = flow.url.searchParams.get('token') ?? ''
  const found = await findRecipient(flow, token)
  if (!found) return showInvalidReset(flow)
  showForm(flow, 200, token, found.content)
}

/**
 * Sets the new password, which revokes all sessions. Redirects to the login in which the link was
 * requested, if any.
 */
export async function reset(flow: FlowRequest, form: Form): Promise<void> {
  const { tenant, response } = flow
  const token = form.get('token') ?? ''
  const password = form.get('password') ?? ''
  const found = await findRecipient(flow, token)
  if (!found) return showInvalidReset(flow)
  const { user, content } = found
  const { email, profile } = user
  const problem = await judgePassword(flow.context.domain, password, { email, profile, tenant })
  if (problem) return showForm(flow, 422, token, content, problem)

  // The password is hashed before the token is used, so that the link stays valid if the service is
  // too busy to hash.
  const stored = await hashPassword(scopeOf(flow, user.id), password, 'login')
  if (!(await spendEmailToken(flow, 'ResetToken', token))) return showInvalidReset(flow)
  if (!(await setPassword(flow, user, stored, content))) return showInvalidReset(flow)

  const { flow: handle, applicationId } = content
  const values = { application: applicationId, uiLocales: languageOf(flow) }
  if (handle !== undefined) return redirect(response, returnPath(handle, 'reset', values))
  const url = new URL(flow.url)
  url.searchParams.set('done', 'reset')
  return showDeadEnd({ ...flow, url, applicationId })
}

/**
 * Sets the password of a user who opened a link, and notifies the user.
 *
 * @returns `false` if the credential is disabled, or the link is no longer valid.
 */
export async function setPassword(
  flow: FlowRequest,
  user: User,
  password: StoredPassword,
  link: EmailToken,
): Promise<boolean> {
  const { context, facts } = flow
  const isSet = await resetPassword(scopeOf(flow, user.id), user, password, link)
  if (!isSet) return false
  await context.throttle.resetAddress(facts, user.email)
  await sendNews(context, 'changed', mailContextOf(flow), user)
  return true
}

/** The user of a valid link, if the user still has the address and may set a password. */
async function findRecipient(
  flow: FlowRequest,
  token: string,
): Promise<{ user: User; content: EmailToken } | undefined> {
  const { context, tenant } = flow
  if (!tenant.settings.allowPasswords) return undefined
  const content = await readEmailToken(flow, 'ResetToken', token)
  if (!content) return undefined
  const user = await lookUpUser(context.domain, tenant.id, content.userId ?? '')
  if (!user || !(await isStillValid(flow, user, content))) return undefined
  return (await mayReset(context.domain, tenant.id, user)) ? { user, content } : undefined
}

/**
 * Whether a mailed link is still valid for the user; see {@link isLinkValid}. The change itself
 * checks this again.
 */
export async function isStillValid(
  { context }: FlowRequest,
  user: User,
  link: EmailToken,
): Promise<boolean> {
  const standing = await readStanding(context.domain, user)
  return isLinkValid({ user, standing }, link)
}

/**
 * Shows that the link is no longer valid. If the tenant has passwords, links to the form that
 * requests another link.
 */
function showInvalidReset(flow: FlowRequest): Promise<void> {
  if (!flow.tenant.settings.allowPasswords) return showInvalidLink(flow)
  const { applicationId: application, uiLocales: ui_locales } = flow
  const query = new URLSearchParams({
    ...(application && { application }),
    ...(ui_locales && { ui_locales }),
  })
  return showInvalidLink(flow, { href: `/reset?${query}`, text: 'linkInvalidAgain' })
}

function showForm(
  flow: FlowRequest,
  status: number,
  token: string,
  content: EmailToken,
  found?: PasswordProblem,
): void {
  const { tenant } = flow
  const application = content.applicationId ?? ''
  const problem = found && passwordFault(tenant, found)
  const shown = { token, email: content.email, application, problem }
  show(flow, status, 'reset', { ...shown, ...passwordRules(flow) })
}
