import { lookUpUser } from '../../../domain/users/users.ts'
import { isLoginValid } from '../../../domain/ways/valid-logins.ts'
import { nowMicros } from '../../../domain/writes/context.ts'
import { lifetimes } from '../../../domain/writes/lifetimes.ts'
import { entryName } from '../../../store/protocol-store.ts'
import type { IssuerContext } from '../../context.ts'
import type { InteractionRequest } from '../flow/flow-request.ts'
import type { Signup } from '../mail/email-tokens.ts'
import { completeStep } from '../progress/login-progress.ts'

/** The step that a login waits for: the user reads a message. */
export interface Pending {
  reason: 'signup' | 'reset'
  /** As it was typed. */
  email: string
  /**
   * The user who has signed up in this browser; `undefined` when the address was taken, or is to be
   * proven first.
   */
  userId?: string | undefined
  /** The account to make when the link is followed, if the address is to be proven first. */
  signup?: Signup | undefined
  /** Since when it waits, in seconds since the epoch. */
  at: number
}

const KIND = 'PendingMail'

/** Stores the sign-up or confirmation that the login waits for. */
export async function writePending(
  flow: InteractionRequest,
  begun: Omit<Pending, 'at'>,
): Promise<void> {
  const { context, tenant, interaction } = flow
  const pending: Pending = { ...begun, at: context.domain.clock.now() / 1000 }
  await context.protocol.put({
    ...entryName(tenant.id, KIND, interaction.uid),
    payload: JSON.stringify(pending),
    expiresAt: nowMicros(context.domain.clock) + lifetimes.interactionSeconds * 1e6,
  })
}

/** Notes that the account was made, with the password that the sign-up chose. */
export async function completePending(
  { protocol }: IssuerContext,
  tenantId: string,
  { pending: key, password }: Signup,
  userId: string,
): Promise<void> {
  const entry = await protocol.find({ tenantId, kind: KIND, key })
  if (!entry) return
  const pending = JSON.parse(entry.payload) as Pending
  // In the same login there may have been another sign-up since.
  if (pending.signup?.password.hash !== password.hash) return
  await protocol.put({
    ...entry,
    payload: JSON.stringify({ ...pending, userId, signup: undefined }),
  })
}

/** The key of the entry for which a login waits. */
export function pendingKey({ tenant, interaction }: InteractionRequest): string {
  return entryName(tenant.id, KIND, interaction.uid).key
}

/** The step that the login waits for, if there is one. */
export async function readPending(flow: InteractionRequest): Promise<Pending | undefined> {
  const { context, tenant, interaction, isFresh } = flow
  if (isFresh) return undefined
  const entry = await context.protocol.find(entryName(tenant.id, KIND, interaction.uid))
  return entry && (JSON.parse(entry.payload) as Pending)
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
