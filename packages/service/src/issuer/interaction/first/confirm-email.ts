import { isAdmitted } from '../../../domain/users/accounts.ts'
import type { Pages } from '../../../pages/index.ts'
import type { User } from '../../../store/records.ts'
import type { Form } from '../../requests/http.ts'
import { showDeadEnd } from '../flow/dead-end.ts'
import { csrfToken } from '../flow/flow-path.ts'
import { type InteractionRequest, mailContextOf, show } from '../flow/flow-request.ts'
import { showTooMany } from '../flow/too-many.ts'
import { sendLink } from '../mail/messages.ts'
import { finishInteraction } from '../progress/finish.ts'
import { currentUser } from './select-account.ts'

/**
 * Asks a logged-in user to confirm the email address. Continues if the address is confirmed, or
 * need not be confirmed.
 */
export async function showConfirmEmail(flow: InteractionRequest): Promise<void> {
  const user = await currentUser(flow)
  if (!user) return showDeadEnd(flow)
  if (isAdmitted(user, flow.tenant.settings)) return finish(flow)
  showWaiting(flow, user)
}

/** Continues the login if the address is confirmed. On request, sends the message again. */
export async function confirmEmail(flow: InteractionRequest, form: Form): Promise<void> {
  const { context, facts } = flow
  const user = await currentUser(flow)
  if (!user) return showDeadEnd(flow)
  if (isAdmitted(user, flow.tenant.settings)) return finish(flow)
  if (form.get('step') !== 'resend') return showWaiting(flow, user, { info: 'checkMailWaiting' })

  const admission = await context.throttle.admitMailRequest(facts)
  if (admission.kind === 'refused') return showTooMany(flow, admission.retryAfterSeconds)
  await sendLink(context, 'verify', mailContextOf(flow), user.email, user)
  return showWaiting(flow, user, { notice: 'checkMailAgain' })
}

/** Continues the application's request, with the results of earlier steps. */
async function finish(flow: InteractionRequest): Promise<void> {
  await finishInteraction(flow, { ...flow.interaction.lastSubmission, verify_email: {} })
}

function showWaiting(
  flow: InteractionRequest,
  user: User,
  news: Pick<Pages['checkMail'], 'notice' | 'info'> = {},
): void {
  show(flow, 200, 'checkMail', {
    text: 'checkMailVerify',
    email: user.email,
    csrf: csrfToken(flow.interaction.uid),
    ...news,
  })
}
