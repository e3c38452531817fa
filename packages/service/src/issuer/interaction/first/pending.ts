import { lookUpUser } from '../../../domain/users/users.ts'
import { isLoginValid } from '../../../domain/ways/valid-logins.ts'
import { entry, keyOf } from '../../../domain/writes/entries.ts'
import { lifetimes } from '../../../domain/writes/lifetimes.ts'
import type { FlowRequest, InteractionRequest } from '../flow/flow-request.ts'
import type { Signup } from '../mail/email-tokens.ts'
import { completeStep } from '../progress/login-progress.ts'

/** The step that a login waits for: the user reads a message. */
export interface Pending {
  reason: 'signup' | 'reset'
  /** The address as it was typed. */
  email: string
  /**
   * The user who has signed up in this browser; `undefined` when the address was taken, or is to be
   * proven first.
   */
  userId?: string | undefined
  /** The account to make when the link is followed, if the address is to be proven first. */
  signup?: Signup | undefined
  /** The start of the wait, in seconds since the epoch. */
  at: number
}

const records = entry<Pending>('PendingMail', lifetimes.interactionSeconds)

/** Stores the sign-up or confirmation that the login waits for. */
export async function writePending(
  flow: InteractionRequest,
  begun: Omit<Pending, 'at'>,
): Promise<void> {
  const at = flow.context.domain.clock.now() / 1000
  await records.put(flow, flow.interaction.uid, { ...begun, at })
}

/** Notes that the account was made, with the password that the sign-up chose. */
export async function completePending(
  flow: Pick<FlowRequest, 'context' | 'tenant'>,
  { pending: key, password }: Signup,
  userId: string,
): Promise<void> {
  const found = await records.read(flow, { key })
  // In the same login there may have been another sign-up since.
  if (found?.value.signup?.password.hash !== password.hash) return
  await records.replace(flow, found, { ...found.value, userId, signup: undefined })
}

/** The key of the entry for which a login waits. */
export function pendingKey({ interaction }: InteractionRequest): string {
  return keyOf(interaction.uid)
}

/** The step that the login waits for, if there is one. */
export async function readPending(flow: InteractionRequest): Promise<Pending | undefined> {
  if (flow.isFresh) return undefined
  return (await records.read(flow, flow.interaction.uid))?.value
}

/**
 * Logs in the user who signed up in this browser, once the address is proven or need not be.
 *
 * Not after another password was set: anyone can sign up with an address, but only the reader of
 * its mail can set the password later.
 *
 * @returns Whether it was done, and the request is answered.
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
