import { changeAddress } from '../../domain/users/accounts.ts'
import { findUser } from '../../domain/users/users.ts'
import { originOf } from '../../domain/ways/valid-links.ts'
import { unlessRefused } from '../../domain/writes/commit.ts'
import { checkNewEmail } from '../../domain/writes/rules.ts'
import type { Pages, TextKey } from '../../pages/index.ts'
import { emailKey } from '../../store/email-key.ts'
import { type FlowRequest, mailContextOf, scopeOf, show } from '../interaction/flow/flow-request.ts'
import { showTooMany } from '../interaction/flow/too-many.ts'
import { mailCode } from '../interaction/mail/mail-code.ts'
import { sendNews } from '../interaction/mail/messages.ts'
import { tryOwnCode } from '../interaction/second/own-code.ts'
import { loginOf } from '../interaction/second/own-session.ts'
import { type Form, redirect } from '../requests/http.ts'
import type { Visit } from './entry.ts'
import { overviewAfter } from './overview.ts'

/** Shows the form for another email address. */
export function showEmail(flow: FlowRequest, visit: Visit): void {
  show(flow, 200, 'changeEmail', { csrf: visit.csrf, current: visit.user.email, email: '' })
}

/** Mails a code to the new address. With the right code, makes it the user's address. */
export async function changeEmail(flow: FlowRequest, visit: Visit, form: Form): Promise<void> {
  const email = (form.get('email') ?? '').trim()
  const problem = problemOf(email, visit)
  if (problem) {
    return showForm(flow, visit, 422, { email, problem: { field: 'email', text: problem } })
  }
  const code = form.get('step') === 'send' ? undefined : form.get('code')
  return code === undefined ? sendTo(flow, visit, email) : prove(flow, visit, email, code)
}

function problemOf(email: string, { user }: Visit): TextKey | undefined {
  try {
    checkNewEmail('The address', email)
  } catch {
    return 'emailInvalid'
  }
  return email === user.email ? 'emailSame' : undefined
}

/**
 * Mails a code to the new address. If the address belongs to another user, no message is sent, and
 * the response is the same.
 */
async function sendTo(flow: FlowRequest, visit: Visit, email: string): Promise<void> {
  const { context, facts } = flow
  const admission = await context.throttle.admitMailRequest(facts)
  if (admission.kind === 'refused') return showTooMany(flow, admission.retryAfterSeconds)
  const owner = await findUser(scopeOf(flow, visit.user.id), email)
  const isFree = !owner || owner.id === visit.user.id
  const recipient = isFree ? { ...visit.user, email, verifiedAt: undefined } : undefined
  const isSent = await mailCode(flow, codeOf(visit, email), { email, user: recipient }, 'address')
  if (!isSent) return showForm(flow, visit, 429, { email, problem: { text: 'factorNotSent' } })
  showForm(flow, visit, 200, { email, isSent })
}

async function prove(flow: FlowRequest, visit: Visit, email: string, code: string): Promise<void> {
  const { context, facts } = flow
  const { user } = visit
  const outcome = await tryOwnCode(flow, codeOf(visit, email), { id: user.id }, code)
  if (!outcome) return
  if (outcome === 'over') {
    return showForm(flow, visit, 429, { email, problem: { text: 'codeOver' } })
  }
  const origin = await originOf(context.domain, user)
  const changed =
    outcome === 'right' &&
    (await unlessRefused(
      changeAddress(scopeOf(flow, user.id), user, email, loginOf(visit.session)),
      'already_exists',
      'conflict',
    ))
  if (!changed) {
    const problem = { field: 'code', text: 'factorRefused' } as const
    return showForm(flow, visit, 422, { email, isSent: true, problem })
  }
  await context.throttle.resetFactor(facts, user.id)
  // The message goes to the earlier address, because its owner may not have wanted the change.
  await sendNews(context, 'moved', mailContextOf(flow), user, { values: { email }, origin })
  redirect(flow.response, overviewAfter('email'))
}

/** The key of a mailed code, which is valid for one address in the session that requested it. */
function codeOf({ session }: Visit, email: string): string {
  return `address:${session.uid}:${emailKey(email)}`
}

function showForm(
  flow: FlowRequest,
  { csrf, user }: Visit,
  status: number,
  shown: Pick<Pages['changeEmail'], 'email' | 'isSent' | 'problem'>,
): void {
  show(flow, status, 'changeEmail', { csrf, current: user.email, ...shown })
}
