import { lookUpUser } from '../../../domain/users/users.ts'
import { isLoginValid } from '../../../domain/ways/valid-logins.ts'
import { entry, keyOf } from '../../../domain/writes/entries.ts'
import { lifetimes } from '../../../domain/writes/lifetimes.ts'
import type { FlowRequest, InteractionRequest } from '../flow/flow-request.ts'
import type { Signup } from '../mail/email-tokens.ts'
import { completeStep } from '../progress/login-progress.ts'

/**
 * A sign-up or password reset for which a login waits, until the user has opened the link in a
 * message.
 */
export interface Pending {
  reason: 'signup' | 'reset'
  /** The email address as the visitor typed it. */
  email: string
  /**
   * The user who has signed up in this browser; `undefined` if the address was taken, or must be
   * proven first.
   */
  userId?: string | undefined
  /** If the address must be proven first: the account to create when the link is opened. */
  signup?: Signup | undefined
  /** The start of the wait, in seconds since the epoch. */
  at: number
}

const records = entry<Pending>('PendingMail', lifetimes.interactionSeconds)

/** Stores the sign-up or password reset for which the login waits. */
export async function writePending(
  flow: InteractionRequest,
  begun: Omit<Pending, 'at'>,
): Promise<void> {
  const at = flow.context.domain.clock.now() / 1000
  await records.put(flow, flow.interaction.uid, { ...begun, at })
}

/** Records that the account was created, with the password of the sign-up. */
export async function completePending(
  flow: Pick<FlowRequest, 'context' | 'tenant'>,
  { pending: key, password }: Signup,
  userId: string,
): Promise<void> {
  const found = await records.read(flow, { key })
  // The record may belong to a later sign-up in the same login.
  if (found?.value.signup?.password.hash !== password.hash) return
  await records.replace(flow, found, { ...found.value, userId, signup: undefined })
}

/** The key under which a login's sign-up or password reset is stored. */
export function pendingKey({ interaction }: InteractionRequest): string {
  return keyOf(interaction.uid)
}

/** The sign-up or password reset for which the login waits, if any. */
export async function readPending(flow: InteractionRequest): Promise<Pending | undefined> {
  if (flow.isFresh) return undefined
  return (await records.read(flow, flow.interaction.uid))?.value
}

/**
 * Logs in the user who signed up in this browser, once the email address is proven or need not be
 * proven.
 *
 * Does nothing if another password was set since: anyone can sign up with an address, but only the
 * reader of the address's mail can set the password later.
 *
 * @returns Whether the user is logged in. If so, the request is answered.
 */
export async function continueSignup(flow: InteractionRequest): Promise<boolean> {
  const { context, tenant } = flow
  const loggedInAt = context.domain.clock.now() / 1000
  const pending = await readPending(flow)
  if (pending?.reason !== 'signup' || pending.userId === undefined) return false
  const user = await lookUpUser(context.domain, tenant.id, pending.userId)
  if (!user || !isLoginValid(user, pending.at)) return false
  if (user.verifiedAt === undefined && !tenant.settings.allowUnverified) return false

  await completeStep(flow, user, 'password', loggedInAt)
  return true
}
