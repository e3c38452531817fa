import { findUser, lookUpUser } from '../../../domain/users/users.ts'
import { claimAccount } from '../../../domain/ways/account-changes.ts'
import { allowsMailLogin } from '../../../domain/ways/login-methods.ts'
import { isLoginValid } from '../../../domain/ways/valid-logins.ts'
import { note } from '../../../domain/writes/audit.ts'
import { isEmail } from '../../../domain/writes/rules.ts'
import type { Pages } from '../../../pages/index.ts'
import { emailKey } from '../../../store/email-key.ts'
import type { User } from '../../../store/records.ts'
import { countRefused } from '../../../telemetry/logins.ts'
import { type Form, redirect } from '../../requests/http.ts'
import { showNotFound } from '../flow/dead-end.ts'
import { csrfToken, flowPath, loginPath, otherPath } from '../flow/flow-path.ts'
import { type InteractionRequest, mailContextOf, scopeOf, show } from '../flow/flow-request.ts'
import { showLinkNeeded, showTooMany } from '../flow/too-many.ts'
import {
  endMailCode,
  findMailCode,
  judgeMailCode,
  mailCode,
  type SentCode,
} from '../mail/mail-code.ts'
import { isAddressHeld, tellHeld } from '../mail/messages.ts'
import { completeStep } from '../progress/login-progress.ts'
import { showForm as showLoginForm } from './login.ts'

/** The result of a login with a code instead of a password. */
type Outcome =
  | { kind: 'verified'; user: User; loggedInAt: number }
  | { kind: 'refused'; reason: 'wrong_code' | 'user_disabled' }

/** Asks for the code that was mailed. */
export async function showCode(flow: InteractionRequest): Promise<void> {
  if (!allowsMailLogin(flow.tenant.settings)) return showNotFound(flow)
  const sent = await findMailCode(flow, loginOf(flow))
  if (sent?.code === undefined) return redirect(flow.response, loginPath(flow.interaction))
  showForm(flow, 200, sent.email)
}

/** Mails a code, or verifies the entered code and logs its user in. */
export async function submitCode(flow: InteractionRequest, form: Form): Promise<void> {
  const { context, facts, interaction, response } = flow
  if (!allowsMailLogin(flow.tenant.settings)) return showNotFound(flow)
  const sent = await findMailCode(flow, loginOf(flow))
  if (form.get('step') === 'send') return send(flow, form.get('email') ?? sent?.email ?? '')
  // Another request of this browser has used the code, such as the first request of a double click.
  if (sent?.isUsed) return redirect(response, flowPath(interaction, '/factor'))
  if (sent?.code === undefined) {
    const problem = { text: 'loginCodeExpired' } as const
    return showLoginForm(flow, 422, { email: sent?.email ?? '', problem })
  }
  const entered = form.get('code') ?? ''
  const { id, email } = sent
  const problem = { field: 'code', text: 'factorRefused' } as const
  if (entered.trim() === '') return showForm(flow, 422, email, { problem })
  if ((await context.throttle.admitCode(facts, id)).kind === 'refused') {
    await endMailCode(flow, loginOf(flow))
    const link = { href: loginPath(interaction), text: 'backToLogin' } as const
    return show(flow, 429, 'message', { title: 'tooManyTitle', text: 'factorOver', link })
  }

  const judge = () => judgeCode(flow, sent, entered)
  const outcome = await context.throttle.tryWithoutPassword(facts, judge)
  countRefused('totp_email', outcome)
  switch (outcome.kind) {
    case 'throttled':
      return showTooMany(flow, outcome.retryAfterSeconds)
    case 'needs_link':
      return showLinkNeeded(flow, flowPath(interaction, '/reset'))
    case 'verified':
      return completeStep(flow, outcome.user, 'totp_email', outcome.loggedInAt)
    case 'refused':
      await note(scopeOf(flow), `login.${outcome.reason}`, sent.userId, 'failure')
      return showForm(flow, 422, email, { problem })
  }
}

/** Mails a code. If there is no account, the response is the same and takes as long. */
async function send(flow: InteractionRequest, typed: string): Promise<void> {
  const { context, facts, interaction, response } = flow
  const email = typed.trim()
  if (!isEmail(email)) {
    const problem = { field: 'email', text: 'emailInvalid' } as const
    return showLoginForm(flow, 422, { email, problem })
  }
  const admission = await context.throttle.admitMailRequest(facts)
  if (admission.kind === 'refused') return showTooMany(flow, admission.retryAfterSeconds)

  const found = await findUser(scopeOf(flow), email)
  await note(scopeOf(flow), 'login.code_requested', found?.id ?? 'unknown')
  const isHeld = found !== undefined && (await isAddressHeld(context, found))
  const user = found?.disabled || isHeld ? undefined : found
  if (await mailCode(flow, loginOf(flow), { email, user }, 'first')) {
    if (isHeld) await tellHeld(context, mailContextOf(flow), found)
    return redirect(response, flowPath(interaction, '/code'))
  }
  showForm(flow, 429, email, { problem: { text: 'factorNotSent' } })
}

/**
 * Verifies the entered code. The right code proves access to the mailbox, and verifies the email
 * address.
 */
async function judgeCode(
  flow: InteractionRequest,
  { userId, email }: SentCode,
  entered: string,
): Promise<Outcome> {
  const { context, tenant } = flow
  const loggedInAt = context.domain.clock.now() / 1000
  const outcome = await judgeMailCode(flow, loginOf(flow), { id: userId }, entered)
  if (outcome !== 'right') return { kind: 'refused', reason: 'wrong_code' }
  const readUser = () => lookUpUser(context.domain, tenant.id, userId)
  if ((await readUser())?.disabled) return { kind: 'refused', reason: 'user_disabled' }
  const owner = { id: userId, emailKey: emailKey(email) }
  const claimed = await claimAccount(scopeOf(flow, userId), owner)
  if (!claimed) return { kind: 'refused', reason: 'wrong_code' }
  // The first proof of the address revokes earlier sessions. This login is the owner's, so this
  // login survives.
  const at = claimed.isFirstProof ? claimed.user.sessionsValidAfter / 1e6 : loggedInAt
  const user = await readUser()
  if (!user || !isLoginValid(user, at)) return { kind: 'refused', reason: 'user_disabled' }
  return { kind: 'verified', user, loggedInAt: at }
}

function showForm(
  flow: InteractionRequest,
  status: number,
  email: string,
  news: Pick<Pages['loginCode'], 'problem' | 'notice'> = {},
): void {
  const { interaction } = flow
  show(flow, status, 'loginCode', {
    ...news,
    csrf: csrfToken(interaction.uid),
    email,
    action: flowPath(interaction, '/code'),
    otherPath: otherPath(interaction),
  })
}

/** The key of a code for the first step, which is not valid for the second step. */
function loginOf({ interaction }: InteractionRequest): string {
  return `first:${interaction.uid}`
}
