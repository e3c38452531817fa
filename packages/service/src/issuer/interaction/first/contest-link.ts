import {
  type Contest,
  contest,
  contestsOperator,
  isContestValid,
} from '../../../domain/users/take-back.ts'
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
  const found = await find(flow, token)
  if (!found) return showInvalidLink(flow)
  const { link, isOfOperator } = found
  show(flow, 200, 'contest', { token, email: link.email, isOfOperator })
}

/** Locks the account, and notifies the address that the account has now. */
export async function submitContest(flow: FlowRequest, form: Form): Promise<void> {
  const token = form.get('token') ?? ''
  const found = await find(flow, token)
  if (!found) return showInvalidLink(flow)
  const { link, isOfOperator } = found
  const user = await contest(scopeOf(flow, link.userId), link)
  if (!user) return showInvalidLink(flow)
  await tellContested(flow.context, mailContextOf(flow), user, isOfOperator)
  // The token is used up last, so that the link stays valid if the work or the message fails.
  if (!(await spendContestToken(flow, token))) return showInvalidLink(flow)
  await note(scopeOf(flow, user.id), 'user.contest', user.id)
  show(flow, 200, 'message', { title: 'contestDoneTitle', text: 'contestDoneText' })
}

interface Found {
  link: Contest
  isOfOperator: boolean
}

async function find(flow: FlowRequest, token: string): Promise<Found | undefined> {
  const { context, tenant } = flow
  const link = await readContestToken(flow, token)
  const user = link && (await lookUpUser(context.domain, tenant.id, link.userId))
  if (!user) return undefined
  const standing = await readStanding(context.domain, user)
  if (!isContestValid({ user, standing }, link)) return undefined
  return { link, isOfOperator: contestsOperator(standing, link) }
}
