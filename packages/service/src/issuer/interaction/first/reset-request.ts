import { mayReset } from '../../../domain/users/accounts.ts'
import { findUser } from '../../../domain/users/users.ts'
import { note } from '../../../domain/writes/audit.ts'
import { isEmail } from '../../../domain/writes/rules.ts'
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
import { showTooMany } from '../flow/too-many.ts'
import { sendLink } from '../mail/messages.ts'
import { writePending } from './pending.ts'

/** Shows the form that requests a link for a new password. */
export async function showResetRequest(flow: FlowRequest | InteractionRequest): Promise<void> {
  const hint = 'interaction' in flow ? flow.interaction.params.login_hint : undefined
  return showForm(flow, 200, typeof hint === 'string' ? hint : '')
}

/**
 * Sends a link for a new password.
 *
 * If there is no account, or the account is disabled, the response is the same and takes as long.
 */
export async function requestReset(
  flow: FlowRequest | InteractionRequest,
  form: Form,
): Promise<void> {
  const { context, facts, tenant, response } = flow
  if (!tenant.settings.allowPasswords) return showNotFound(flow)
  const email = (form.get('email') ?? '').trim()
  if (!isEmail(email)) return showForm(flow, 422, email, true)
  const admission = await context.throttle.admitMailRequest(facts)
  if (admission.kind === 'refused') return showTooMany(flow, admission.retryAfterSeconds)

  const user = await findUser(scopeOf(flow), email)
  await note(scopeOf(flow), 'reset.requested', user?.id ?? 'unknown')
  const recipient = (await mayReset(context.domain, tenant.id, user)) ? user : undefined
  await sendLink(context, 'reset', mailContextOf(flow), email, recipient)

  if ('interaction' in flow) {
    await writePending(flow, { reason: 'reset', email })
    return redirect(response, flowPath(flow.interaction, '/sent'))
  }
  return show(flow, 200, 'checkMail', { text: 'checkMailReset', email })
}

async function showForm(
  flow: FlowRequest | InteractionRequest,
  status: number,
  email: string,
  isInvalid = false,
): Promise<void> {
  if (!flow.tenant.settings.allowPasswords) return showNotFound(flow)
  const interaction = 'interaction' in flow ? flow.interaction : undefined
  show(flow, status, 'resetRequest', {
    email,
    csrf: interaction ? csrfToken(interaction.uid) : '',
    problem: isInvalid ? { field: 'email', text: 'emailInvalid' } : undefined,
    loginPath: interaction && flowPath(interaction),
  })
}
