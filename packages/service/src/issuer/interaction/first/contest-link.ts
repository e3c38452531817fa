import { type Contest, contest, isContestValid } from '../../../domain/users/take-back.ts'
import { lookUpUser } from '../../../domain/users/users.ts'
import { readStanding } from '../../../domain/ways/valid-links.ts'
import { note } from '../../../domain/writes/audit.ts'
import type { Form } from '../../requests/http.ts'
import { showInvalidLink } from '../flow/dead-end.ts'
import { type FlowRequest, mailContextOf, scopeOf, show } from '../flow/flow-request.ts'
import { tellContested } from '../mail/messages.ts'
import { readContestToken, spendContestToken } from '../mail/undo-token.ts'

/**
 * Shows a page with a button. Opening the link changes nothing, because security software follows
 * every link in mail.
 */
export async function showContest(flow: FlowRequest): Promise<void> {
  const token = flow.url.searchParams.get('token') ?? ''
  const link = await find(flow, token)
  if (!link) return showInvalidLink(flow)
  show(flow, 200, 'contest', { token, email: link.email })
}

/** Locks the account, and notifies the user who has taken the account back. */
export async function submitContest(flow: FlowRequest, form: Form): Promise<void> {
  const token = form.get('token') ?? ''
  const link = await find(flow, token)
  const user = link && (await contest(scopeOf(flow, link.userId), link))
  if (!user) return showInvalidLink(flow)
  await tellContested(flow.context, mailContextOf(flow), user)
  // The token is used up last, so that the link stays valid if the work or the message fails.
  if (!(await spendContestToken(flow, token))) return showInvalidLink(flow)
  await note(scopeOf(flow, user.id), 'user.contest', user.id)
  show(flow, 200, 'message', { title: 'contestDoneTitle', text: 'contestDoneText' })
}

async function find(flow: FlowRequest, token: string): Promise<Contest | undefined> {
  const { context, tenant } = flow
  const link = await readContestToken(flow, token)
  const user = link && (await lookUpUser(context.domain, tenant.id, link.userId))
  if (!user) return undefined
  const standing = await readStanding(context.domain, user)
  return isContestValid({ user, standing }, link) ? link : undefined
}
