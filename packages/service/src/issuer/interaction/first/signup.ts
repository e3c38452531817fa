import { mayReset, signUp } from '../../../domain/users/accounts.ts'
import { judgePassword, type PasswordProblem } from '../../../domain/users/chosen-password.ts'
import { hashPassword } from '../../../domain/users/passwords.ts'
import { findUser } from '../../../domain/users/users.ts'
import { isSignupOpen } from '../../../domain/ways/login-methods.ts'
import { passwordPolicy } from '../../../domain/ways/password-policy.ts'
import { note } from '../../../domain/writes/audit.ts'
import { unlessRefused } from '../../../domain/writes/commit.ts'
import { checkNewEmail, isWhole } from '../../../domain/writes/rules.ts'
import type { Pages, PasswordRules, TextKey } from '../../../pages/index.ts'
import type { Tenant } from '../../../store/records.ts'
import { type Form, redirect } from '../../requests/http.ts'
import { showNotFound } from '../flow/dead-end.ts'
import { csrfToken, flowPath } from '../flow/flow-path.ts'
import {
  type FlowRequest,
  type InteractionRequest,
  mailContextOf,
  scopeOf,
  show,
} from '../flow/flow-request.ts'
import { shownConnections } from '../flow/offered.ts'
import { showTooMany } from '../flow/too-many.ts'
import { sendLink, sendSignupLink } from '../mail/messages.ts'
import { type Pending, pendingKey, writePending } from './pending.ts'

type Problem = NonNullable<Pages['signup']['problem']>

interface Entered {
  name: string
  email: string
}

/** The maximum number of characters of a name. */
const MAX_NAME_LENGTH = 200

/** Shows the form to create an account. */
export async function showSignup(flow: InteractionRequest): Promise<void> {
  const hint = flow.interaction.params.login_hint
  return showForm(flow, 200, { name: '', email: typeof hint === 'string' ? hint : '' })
}

/**
 * Sends a message to the address, and creates an account: at once if unverified users may log in,
 * otherwise when the link in the message is opened.
 *
 * If the address has an account already, the response and its timing are the same. Only the message
 * differs, and only the owner of the address can read it.
 */
export async function signup(flow: InteractionRequest, form: Form): Promise<void> {
  const { context, facts, tenant, interaction, response } = flow
  const entered = { name: (form.get('name') ?? '').trim(), email: (form.get('email') ?? '').trim() }
  if (!isSignupOpen(tenant.settings)) return showNotFound(flow)

  const password = form.get('password') ?? ''
  const problem = await problemOf(flow, entered, password)
  if (problem) return showForm(flow, 422, entered, problem)
  const admission = await context.throttle.admitMailRequest(facts)
  if (admission.kind === 'refused') return showTooMany(flow, admission.retryAfterSeconds)

  const stored = await hashPassword(scopeOf(flow), password, 'login')
  const pending: Omit<Pending, 'at'> = { reason: 'signup', email: entered.email }
  if (tenant.settings.allowUnverified) {
    const input = { ...entered, emailVerified: false, password: stored }
    const created = await unlessRefused(signUp(scopeOf(flow), input), 'already_exists')
    pending.userId = created?.id
  } else {
    pending.signup = { name: entered.name, password: stored, pending: pendingKey(flow) }
  }
  await note(scopeOf(flow), 'signup.requested', pending.userId ?? 'unknown')
  await writePending(flow, pending)
  await sendSignupMessage(flow, pending)
  redirect(response, flowPath(interaction, '/sent'))
}

/**
 * Sends the link of a sign-up. If the address already has an account, the message says so instead.
 */
export async function sendSignupMessage(
  flow: InteractionRequest,
  { email, userId, signup }: Pick<Pending, 'email' | 'userId' | 'signup'>,
): Promise<void> {
  const { context, tenant } = flow
  const { domain } = context
  const existing = await findUser(scopeOf(flow), email)
  const isWelcome = await mayReset(domain, tenant.id, existing)
  const mailContext = mailContextOf(flow)
  if (signup && !existing) await sendSignupLink(context, mailContext, email, signup)
  else if (existing && existing.id === userId) {
    await sendLink(context, 'verify', mailContext, email, existing)
  } else await sendLink(context, 'exists', mailContext, email, isWelcome ? existing : undefined)
}

async function showForm(
  flow: InteractionRequest,
  status: number,
  entered: Entered,
  problem?: Problem,
): Promise<void> {
  const { interaction } = flow
  if (!isSignupOpen(flow.tenant.settings)) return showNotFound(flow)
  show(flow, status, 'signup', {
    ...entered,
    problem,
    csrf: csrfToken(interaction.uid),
    ...passwordRules(flow),
    social: await shownConnections(flow),
    loginPath: flowPath(interaction),
  })
}

/** The text for each fault of a new password. */
const passwordProblems = {
  short: 'passwordShort',
  long: 'passwordLong',
  common: 'passwordCommon',
  leaked: 'passwordLeaked',
  email: 'passwordEmail',
  name: 'passwordName',
  character: 'passwordCharacter',
} as const satisfies Record<PasswordProblem, TextKey>

/** The tenant's rules for a new password, which the page shows under the field. */
export function passwordRules({
  context,
  tenant,
}: Pick<FlowRequest, 'context' | 'tenant'>): PasswordRules {
  const { least, asksRanges } = passwordPolicy(tenant)
  return { least, refusesLeaked: asksRanges || context.domain.leaks.hasList }
}

/** The fault of a new password, as a text of the page. */
export function passwordFault(tenant: Tenant, problem: PasswordProblem) {
  const values = { least: String(passwordPolicy(tenant).least) }
  return { field: 'password', text: passwordProblems[problem], values } as const
}

/** The fault of a name that a user entered; `undefined` if the name is valid. */
export function nameProblem(name: string): TextKey | undefined {
  if ([...name].length > MAX_NAME_LENGTH) return 'nameLong'
  return /\p{Cc}/u.test(name) || !isWhole(name) ? 'nameCharacter' : undefined
}

async function problemOf(
  { context: { domain }, tenant }: InteractionRequest,
  { name, email }: Entered,
  password: string,
): Promise<Problem | undefined> {
  const misnamed = nameProblem(name)
  if (misnamed) return { field: 'name', text: misnamed }
  try {
    checkNewEmail('The address', email)
  } catch {
    return { field: 'email', text: 'emailInvalid' }
  }
  const judged = await judgePassword(domain, password, { email, profile: { name }, tenant })
  return judged && passwordFault(tenant, judged)
}
