import { isPassword } from '../../../domain/users/passwords.ts'
import { type Before, hasMoved, takeBack } from '../../../domain/users/take-back.ts'
import { lookUpUser } from '../../../domain/users/users.ts'
import { note } from '../../../domain/writes/audit.ts'
import { keyOf } from '../../../domain/writes/entries.ts'
import type { Pages } from '../../../pages/index.ts'
import type { User } from '../../../store/records.ts'
import type { Form } from '../../requests/http.ts'
import { showInvalidLink } from '../flow/dead-end.ts'
import { type FlowRequest, mailContextOf, scopeOf, show } from '../flow/flow-request.ts'
import { showTooMany } from '../flow/too-many.ts'
import { sendRecovery } from '../mail/messages.ts'
import { readUndoToken, spendUndoToken } from '../mail/undo-token.ts'
import { isKnownFromBefore } from '../progress/known-device.ts'

/** Shows a button, and does nothing yet: programs that look for malice in mail follow every link. */
export async function showUndo(flow: FlowRequest): Promise<void> {
  const token = flow.url.searchParams.get('token') ?? ''
  const found = await find(flow, token)
  if (!found) return showInvalidLink(flow)
  await showForm(flow, 200, token, found)
}

/** Undoes the change, and mails a link for a new password to the earlier address. */
export async function undo(flow: FlowRequest, form: Form): Promise<void> {
  const { context, tenant, facts } = flow
  const token = form.get('token') ?? ''
  const found = await find(flow, token)
  if (!found) return showInvalidLink(flow)
  const { before } = found
  const scope = scopeOf(flow, before.userId)
  if (await asksProof(flow, found)) {
    const admission = await context.throttle.admitCode(facts, `undo:${keyOf(token)}`)
    if (admission.kind === 'refused') return showTooMany(flow, admission.retryAfterSeconds)
    const isTheirs = await isPassword(scope, before.password, form.get('password') ?? '')
    if (!isTheirs || !before.password) {
      await note(scope, 'user.take_back', before.userId, 'failure')
      return showForm(flow, 422, token, found, { field: 'password', text: 'undoProofWrong' })
    }
  }
  const user = await takeBack(scope, before)
  if (user === 'gone') return showInvalidLink(flow)
  if (user === 'taken') return showForm(flow, 409, token, found, { text: 'undoTaken' })
  // Spent last: a link whose work was not done is still good.
  if (!(await spendUndoToken(flow, token, before))) return showInvalidLink(flow)
  await note(scope, 'user.take_back', user.id)
  const { allowPasswords } = tenant.settings
  if (allowPasswords) await sendRecovery(context, mailContextOf(flow), user)
  show(flow, 200, 'message', {
    title: 'undoDoneTitle',
    text: allowPasswords ? 'undoDoneText' : 'undoDonePlain',
    values: { email: user.email },
  })
}

interface Found {
  before: Before
  user: User
}

async function find(flow: FlowRequest, token: string): Promise<Found | undefined> {
  const { context, tenant } = flow
  const before = await readUndoToken(flow, token)
  const user = before && (await lookUpUser(context.domain, tenant.id, before.userId))
  return user && !user.disabled ? { before, user } : undefined
}

/**
 * Whether access to the mailbox is not enough proof: the user has left this address, and it may
 * belong to another person now.
 */
async function asksProof(flow: FlowRequest, { before, user }: Found): Promise<boolean> {
  return hasMoved(user, before) && !(await isKnownFromBefore(flow, user, before.at))
}

async function showForm(
  flow: FlowRequest,
  status: number,
  token: string,
  found: Found,
  problem?: Pages['undo']['problem'],
): Promise<void> {
  const { email } = found.before
  show(flow, status, 'undo', { token, email, asksProof: await asksProof(flow, found), problem })
}
