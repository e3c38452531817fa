import { isDeletionAllowed } from '../../domain/tenants/tenant-features.ts'
import { deleteUser } from '../../domain/users/users.ts'
import { showNotFound } from '../interaction/flow/dead-end.ts'
import { type FlowRequest, mailContextOf, scopeOf, show } from '../interaction/flow/flow-request.ts'
import { sendFarewell } from '../interaction/mail/messages.ts'
import type { Form } from '../requests/http.ts'
import { endSession } from '../sessions/end-session.ts'
import type { Visit } from './entry.ts'

/** Asks whether the account is to be deleted. */
export function showDeletion(flow: FlowRequest, visit: Visit): Promise<void> | void {
  if (!isDeletionAllowed(flow.tenant)) return showNotFound(flow)
  showForm(flow, visit, 200)
}

/** Deletes the account with all data about the user, notifies the user, and ends the session. */
export async function deleteAccount(flow: FlowRequest, visit: Visit, form: Form): Promise<void> {
  const { context, provider } = flow
  const { user, session } = visit
  if (!isDeletionAllowed(flow.tenant)) return showNotFound(flow)
  if (form.get('confirm') !== 'yes') return showForm(flow, visit, 422)
  await deleteUser(scopeOf(flow, user.id), user.id)
  await sendFarewell(context, mailContextOf(flow), user)
  await endSession(context, provider, session)
  show(flow, 200, 'message', { title: 'deletionDoneTitle', text: 'deletionDoneText' })
}

function showForm(flow: FlowRequest, { csrf, user }: Visit, status: number): void {
  const problem =
    status === 200 ? undefined : ({ field: 'confirm', text: 'deletionUnconfirmed' } as const)
  show(flow, status, 'deleteAccount', { csrf, email: user.email, problem })
}
