import { confirmAddress, mayReset, signUp } from '../../../domain/users/accounts.ts'
import { judgePassword, type PasswordProblem } from '../../../domain/users/chosen-password.ts'
import { hashPassword, isPassword, verifyPassword } from '../../../domain/users/passwords.ts'
import { lookUpUser } from '../../../domain/users/users.ts'
import { claimAccount } from '../../../domain/ways/account-changes.ts'
import { isSignupOpen } from '../../../domain/ways/login-methods.ts'
import { unlessRefused } from '../../../domain/writes/commit.ts'
import type { StoredPassword, User } from '../../../store/records.ts'
import { isSameBrowser } from '../../requests/browser-cookie.ts'
import { type Form, redirect } from '../../requests/http.ts'
import { showDeadEnd, showInvalidLink } from '../flow/dead-end.ts'
import { returnPath } from '../flow/flow-path.ts'
import { type FlowRequest, languageOf, scopeOf, show } from '../flow/flow-request.ts'
import {
  type EmailToken,
  readEmailToken,
  type Signup,
  spendEmailToken,
} from '../mail/email-tokens.ts'
import { completePending } from './pending.ts'
import { isStillValid, setPassword } from './reset-link.ts'
import { passwordFault, passwordRules } from './signup.ts'

/** The outcome of opening a link. `gone`: the link is no longer valid. */
type Outcome = 'done' | 'gone' | { problem: PasswordProblem }

/**
 * Shows a page with a button. Opening the link changes nothing, because security software follows
 * every link in mail.
 */
export async function showVerify(flow: FlowRequest): Promise<void> {
  const token = flow.url.searchParams.get('token') ?? ''
  const content = await readEmailToken(flow, 'VerifyToken', token)
  if (!content) return showInvalidLink(flow)
  showForm(flow, 200, token, content)
}

/**
 * Verifies the address or creates the account of a sign-up. Redirects to the login in which the
 * link was requested, if any.
 */
export async function verify(flow: FlowRequest, form: Form): Promise<void> {
  const { response } = flow
  const token = form.get('token') ?? ''
  const content = await readEmailToken(flow, 'VerifyToken', token)
  if (!content) return showInvalidLink(flow)
  const password = asksPassword(flow, content) ? (form.get('password') ?? '') : undefined
  const { signup, flow: handle, applicationId } = content
  const outcome = signup
    ? await createAccount(flow, token, content.email, signup, password)
    : await proveAddress(flow, token, content, password)
  if (outcome === 'gone') return showInvalidLink(flow)
  if (outcome !== 'done') return showForm(flow, 422, token, content, outcome.problem)

  const values = { application: applicationId, uiLocales: languageOf(flow) }
  if (handle !== undefined) return redirect(response, returnPath(handle, 'verified', values))
  const url = new URL(flow.url)
  url.searchParams.set('done', 'verified')
  return showDeadEnd({ ...flow, url, applicationId })
}

/**
 * Whether the visitor must enter a password: always, except in the browser that requested the
 * message. Anyone can sign up with an address, and its owner must not confirm a stranger's
 * password.
 */
function asksPassword({ tenant, request }: FlowRequest, { browser }: EmailToken): boolean {
  return tenant.settings.allowPasswords && !isSameBrowser(request, browser)
}

/**
 * Whether all login methods are removed from the account. If the tenant has no passwords, they are
 * removed in every browser except the one that requested the message: a stranger may have created
 * the account.
 */
function removesLogins({ tenant, request }: FlowRequest, { browser }: EmailToken): boolean {
  return !tenant.settings.allowPasswords && !isSameBrowser(request, browser)
}

/** Creates the account of a sign-up. A newly entered password replaces that of the sign-up. */
async function createAccount(
  flow: FlowRequest,
  token: string,
  email: string,
  signup: Signup,
  entered: string | undefined,
): Promise<Outcome> {
  if (!isSignupOpen(flow.tenant.settings)) return 'gone'
  const isTheirs =
    entered === undefined || (await isPassword(scopeOf(flow), signup.password, entered))
  const chosen = isTheirs
    ? signup.password
    : await newPassword(flow, entered, { email, profile: {} })
  if ('problem' in chosen) return chosen

  // Another password means that a stranger signed up, so the stranger's name is left out.
  const name = isTheirs ? signup.name : ''
  const input = { email, emailVerified: true, name, password: chosen }
  const user = await unlessRefused(signUp(scopeOf(flow), input), 'already_exists')
  // The token is used up last, so that the link stays valid if the account cannot be created.
  await spendEmailToken(flow, 'VerifyToken', token)
  if (!user) return 'gone'
  if (isTheirs) await completePending(flow, signup, user.id)
  return 'done'
}

/** Marks the address as verified, and sets a newly entered password, if any. */
async function proveAddress(
  flow: FlowRequest,
  token: string,
  content: EmailToken,
  entered: string | undefined,
): Promise<Outcome> {
  const { context, tenant } = flow
  const { domain } = context
  const { userId = '' } = content
  const user = await lookUpUser(domain, tenant.id, userId)
  if (!user || !(await isStillValid(flow, user, content))) return 'gone'
  const scope = scopeOf(flow, userId)
  const isTheirs =
    entered === undefined || (await verifyPassword(scope, user, entered)).kind === 'verified'
  if (!isTheirs && !(await mayReset(domain, tenant.id, user))) return 'gone'
  const chosen = isTheirs ? undefined : await newPassword(flow, entered, user)
  if (chosen && 'problem' in chosen) return chosen

  if (!(await spendEmailToken(flow, 'VerifyToken', token))) return 'gone'
  if (chosen) return (await setPassword(flow, user, chosen, content)) ? 'done' : 'gone'
  const isConfirmed = removesLogins(flow, content)
    ? (await claimAccount(scope, user)) !== undefined
    : await confirmAddress(scope, userId, content)
  return isConfirmed ? 'done' : 'gone'
}

/** The hash of a new password from the owner of the address, or the password's fault. */
async function newPassword(
  flow: FlowRequest,
  password: string,
  { email, profile }: Pick<User, 'email' | 'profile'>,
): Promise<StoredPassword | { problem: PasswordProblem }> {
  const { context, tenant } = flow
  const problem = await judgePassword(context.domain, password, { email, profile, tenant })
  if (problem) return { problem }
  return hashPassword(scopeOf(flow), password, 'login')
}

function showForm(
  flow: FlowRequest,
  status: number,
  token: string,
  content: EmailToken,
  problem?: PasswordProblem,
): void {
  show(flow, status, 'verify', {
    token,
    email: content.email,
    application: content.applicationId ?? '',
    asksPassword: asksPassword(flow, content),
    removesLogins: content.signup === undefined && removesLogins(flow, content),
    ...passwordRules(flow),
    problem: problem && passwordFault(flow.tenant, problem),
  })
}
