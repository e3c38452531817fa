import type { Pages } from '../../../pages/index.ts'
import { type Form, redirect } from '../../requests/http.ts'
import { csrfToken, flowPath } from '../flow/flow-path.ts'
import { type InteractionRequest, show } from '../flow/flow-request.ts'
import { showTooMany } from '../flow/too-many.ts'
import { continueSignup, type Pending, readPending } from './pending.ts'
import { sendSignupMessage } from './signup.ts'

/** Asks the visitor to read the message. */
export async function showSent(flow: InteractionRequest): Promise<void> {
  const pending = await readPending(flow)
  if (!pending) return redirect(flow.response, flowPath(flow.interaction))
  showPending(flow, pending)
}

/** Continues after a sign-up whose link was opened. On request, sends the message again. */
export async function sent(flow: InteractionRequest, form: Form): Promise<void> {
  const { context, facts, interaction, response } = flow
  const pending = await readPending(flow)
  if (pending?.reason !== 'signup') return redirect(response, flowPath(interaction))
  if (form.get('step') !== 'resend') {
    if (await continueSignup(flow)) return
    return showPending(flow, pending, { info: 'checkMailWaiting' })
  }

  const admission = await context.throttle.admitMailRequest(facts)
  if (admission.kind === 'refused') return showTooMany(flow, admission.retryAfterSeconds)
  await sendSignupMessage(flow, pending)
  return showPending(flow, pending, { notice: 'checkMailAgain' })
}

function showPending(
  flow: InteractionRequest,
  pending: Pending,
  news: Pick<Pages['checkMail'], 'notice' | 'info'> = {},
): void {
  const isSignup = pending.reason === 'signup'
  show(flow, 200, 'checkMail', {
    text: isSignup ? 'checkMailSignup' : 'checkMailReset',
    email: pending.email,
    ...news,
    ...(isSignup && { csrf: csrfToken(flow.interaction.uid) }),
    loginPath: flowPath(flow.interaction),
  })
}
