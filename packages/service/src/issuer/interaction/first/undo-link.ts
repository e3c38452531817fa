import { isPassword } from '../../../domain/users/passwords.ts'
import { type Before, hasMoved, isUndoValid, takeBack } from '../../../domain/users/take-back.ts'
import { lookUpUser } from '../../../domain/users/users.ts'
import { readStanding } from '../../../domain/ways/valid-links.ts'
import { note } from '../../../domain/writes/audit.ts'
import { keyOf } from '../../../domain/writes/entries.ts'
import type { Pages } from '../../../pages/index.ts'
import type { User } from '../../../store/records.ts'
import type { Form } from '../../requests/http.ts'
import { showInvalidLink } from '../flow/dead-end.ts'
import { type FlowRequest, languageOf, mailContextOf, scopeOf, show } from '../flow/flow-request.ts'
import { showTooMany } from '../flow/too-many.ts'
import { sendRecovery, tellDisplaced } from '../mail/messages.ts'
import { readUndoToken, spendUndoToken } from '../mail/undo-token.ts'

/**
 * Shows a page with a button. Opening the link changes nothing, because security software follows
 * every link in mail.
 */
export async function showUndo(flow: FlowRequest): Promise<void> {
  const token = flow.url.searchParams.get('token') ?? ''
  const found = await find(flow, token)
  if (!found) return showInvalidLink(flow)
  showForm(flow, 200, token, found)
}

/**
 * Undoes the change. If the tenant has passwords, mails a link for a new password to the earlier
 * address. If the account loses an address in this way, this address gets a link to contest the
 * loss.
 */
export async function undo(flow: FlowRequest, form: Form): Promise<void> {
  const { context, tenant, facts } = flow
  const token = form.get('token') ?? ''
  const found = await find(flow, token)
  if (!found) return showInvalidLink(flow)
  const { before } = found
  const scope = scopeOf(flow, before.userId)
  if (asksProof(found)) {
    const admission = await context.throttle.admitCode(facts, `undo:${keyOf(token)}`)
    if (admission.kind === 'refused') {
      // The request of the form has no token in its URL, so the page needs the link of the message.
      const query = new URLSearchParams({ token, ui_locales: languageOf(flow) })
      return showTooMany(flow, admission.retryAfterSeconds, `/undo?${query}`)
    }
    if (!(await isProof(flow, before, form.get('password') ?? ''))) {
      await note(scope, 'user.take_back', before.userId, 'failure')
      return showForm(flow, 422, token, found, { field: 'password', text: 'undoProofWrong' })
    }
  }
  const outcome = await takeBack(scope, before)
  if (outcome === 'gone') return showInvalidLink(flow)
  if (outcome === 'taken') return showForm(flow, 409, token, found, { text: 'undoTaken' })
  const { user, displaced, rulings } = outcome
  if (displaced) {
    await tellDisplaced(context, mailContextOf(flow), { userId: user.id, rulings, ...displaced })
  }
  // The token is used up last, so that the link stays valid if the work or the message fails.
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
  if (!user || user.disabled) return undefined
  const standing = await readStanding(context.domain, user)
  return isUndoValid({ user, standing }, before) ? { before, user } : undefined
}

/**
 * Whether an earlier password is required, because the user has left this address. The mailbox may
 * belong to another person now, and so may a browser in which the user once logged in.
 */
function asksProof({ before, user }: Found): boolean {
  return hasMoved(user, before)
}

async function isProof(flow: FlowRequest, before: Before, entered: string): Promise<boolean> {
  const scope = scopeOf(flow, before.userId)
  const known = [before.password, before.earlierPassword].filter((one) => one !== undefined)
  // At least one hash is compared, so that the time does not tell whether there was a password.
  for (const one of known.length > 0 ? known : [undefined]) {
    if ((await isPassword(scope, one, entered)) && one) return true
  }
  return false
}

function showForm(
  flow: FlowRequest,
  status: number,
  token: string,
  found: Found,
  problem?: Pages['undo']['problem'],
): void {
  const { email } = found.before
  show(flow, status, 'undo', { token, email, asksProof: asksProof(found), problem })
}
