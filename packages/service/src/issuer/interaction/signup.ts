import { mayReset, signUp } from '../../domain/accounts.ts'
import { judgePassword } from '../../domain/chosen-password.ts'
import { unlessRefused } from '../../domain/commit.ts'
import { hashPassword } from '../../domain/passwords.ts'
import { checkNewEmail } from '../../domain/rules.ts'
import { findUser } from '../../domain/users.ts'
import type { Pages, TextKey } from '../../pages/index.ts'
import type { Tenant } from '../../store/records.ts'
import { type Form, redirect } from '../requests/http.ts'
import { showNotFound } from './dead-end.ts'
import { csrfToken, flowPath } from './flow-path.ts'
import { type InteractionRequest, occasionOf, scopeOf, show } from './flow-request.ts'
import { sendLink } from './messages.ts'
import { writePending } from './pending.ts'
import { showTooMany } from './too-many.ts'

type Problem = NonNullable<Pages['signup']['problem']>

interface Entered {
  name: string
  email: string
}

/** What people are called fits. */
const MAX_NAME_LENGTH = 200

/** Shows the form to create an account. */
export async function showSignup(flow: InteractionRequest): Promise<void> {
  const hint = flow.interaction.params.login_hint
  return showForm(flow, 200, { name: '', email: typeof hint === 'string' ? hint : '' })
}

/**
 * Creates an account and sends a message to its address.
 *
 * For an address that has an account the answer is the same and comes as late; only the message
 * differs, and that is read by the owner of the address alone.
 */
export async function signup(flow: InteractionRequest, form: Form): Promise<void> {
  const { context, facts, interaction, response } = flow
  const entered = { name: (form.get('name') ?? '').trim(), email: (form.get('email') ?? '').trim() }
  if (!isOpen(flow)) return showNotFound(flow)

  const password = form.get('password') ?? ''
  const problem = await problemOf(flow.tenant, entered, password)
  if (problem) return showForm(flow, 422, entered, problem)
  const admission = await context.throttle.admitMailRequest(facts)
  if (admission.kind === 'refused') return showTooMany(flow, admission.retryAfterSeconds)

  const stored = await hashPassword(scopeOf(flow), password, 'login')
  const account = signUp(scopeOf(flow), { ...entered, password: stored })
  const created = await unlessRefused(account, 'already_exists')
  if (created) {
    await sendLink(context, 'verify', occasionOf(flow), entered.email, created)
  } else {
    await remindOfAccount(flow, entered.email)
  }
  await writePending(flow, { reason: 'signup', email: entered.email, userId: created?.id })
  redirect(response, flowPath(interaction, '/sent'))
}

/** Writes to the owner of an address with which somebody wanted to create a second account. */
export async function remindOfAccount(flow: InteractionRequest, email: string): Promise<void> {
  const { context, tenant } = flow
  const user = await findUser(scopeOf(flow), email)
  const recipient = (await mayReset(context.domain, tenant.id, user)) ? user : undefined
  await sendLink(context, 'exists', occasionOf(flow), email, recipient)
}

/** Whether visitors may create accounts. */
function isOpen({ tenant }: InteractionRequest): boolean {
  return tenant.settings.allowSignups && tenant.settings.allowPasswords
}

async function showForm(
  flow: InteractionRequest,
  status: number,
  entered: Entered,
  problem?: Problem,
): Promise<void> {
  const { interaction } = flow
  if (!isOpen(flow)) return showNotFound(flow)
  show(flow, status, 'signup', {
    ...entered,
    problem,
    csrf: csrfToken(interaction.uid),
    loginPath: flowPath(interaction),
  })
}

/** The text for every way a chosen password is not good enough. */
export const passwordProblems = {
  short: 'passwordShort',
  long: 'passwordLong',
  common: 'passwordCommon',
  email: 'passwordEmail',
  name: 'passwordName',
  character: 'passwordCharacter',
} as const satisfies Record<string, TextKey>

async function problemOf(
  tenant: Tenant,
  { name, email }: Entered,
  password: string,
): Promise<Problem | undefined> {
  if ([...name].length > MAX_NAME_LENGTH) return { field: 'name', text: 'nameLong' }
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) return { field: 'name', text: 'nameCharacter' }
  try {
    checkNewEmail('The address', email)
  } catch {
    return { field: 'email', text: 'emailInvalid' }
  }
  const names = { email, user: { name }, tenant: { ...tenant, ...tenant.settings } }
  const judged = await judgePassword(password, names)
  return judged && { field: 'password', text: passwordProblems[judged] }
}
