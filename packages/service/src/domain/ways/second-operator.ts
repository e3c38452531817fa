import type { Account } from '../../store/ports.ts'
import type { Displaced, Micros, Readdressed, Standing, User } from '../../store/records.ts'
import { nowMicros, type ServiceScope } from '../writes/context.ts'
import { ServiceError } from '../writes/errors.ts'
import { reason } from '../writes/reasons/index.ts'
import { afterRuling, standingOf } from './valid-links.ts'

/**
 * The rule that no operator alone can hand an account over to another person. Without the rule, an
 * operator could change a verified address, mark the new one as verified or have a password link
 * sent to it, and log in as the user. So for a day the new address cannot be used to verify the
 * user, unless another operator confirms it.
 */

/** The period, in microseconds, for which a new address waits for another operator. */
const HOLD_MICROS = 86_400 * 1e6

/** The parts of an account that decide whether it waits for a second operator. */
type Held = Pick<Account, 'user' | 'standing'>

/** The new address of an account, while it waits for another operator; otherwise `undefined`. */
export function holdOf(account: Held, now: Micros): Readdressed | undefined {
  const { readdressed } = standingOf(account)
  return readdressed?.to === account.user.emailKey && readdressed.until > now
    ? readdressed
    : undefined
}

/**
 * The standing after an operator has changed the address. If the former address was verified, its
 * reader can contest the change. Changing the address back needs no other operator, and ends a
 * dispute.
 *
 * @param needsSecond - Whether the tenant requires a second operator.
 */
export function afterReaddress(
  { context, actor }: ServiceScope,
  account: Account,
  next: User,
  needsSecond: boolean,
): Standing {
  const now = nowMicros(context.clock)
  const standing = afterRuling(account)
  const { user } = account
  const last = standing.readdressed
  const from = last?.from ?? []
  if (from.some(({ emailKey }) => emailKey === next.emailKey)) {
    return { ...standing, readdressed: undefined }
  }
  const isProven = user.verifiedAt !== undefined
  // An address that was never verified may belong to anyone, so correcting it takes nothing from an
  // owner.
  if (!isProven && !holdOf(account, now) && !last?.isContested) return standing
  const left: Displaced[] = isProven
    ? [{ email: user.email, emailKey: user.emailKey, at: now }]
    : []
  return {
    ...standing,
    readdressed: {
      by: actor.name,
      to: next.emailKey,
      until: needsSecond ? now + HOLD_MICROS : now,
      from: [...from, ...left],
      ...(last?.isContested && { isContested: true }),
    },
  }
}

/**
 * Whether the account waits for an operator other than the actor. It does if the actor has changed
 * the address, and the change is on hold or contested.
 */
function isOwnChange({ context, actor }: ServiceScope, account: Held): boolean {
  const { readdressed } = standingOf(account)
  if (readdressed?.by !== actor.name) return false
  return readdressed.isContested === true || holdOf(account, nowMicros(context.clock)) !== undefined
}

/**
 * Refuses an act of the operator who has changed the address, while the change is on hold or
 * contested.
 *
 * @throws ServiceError `not_permitted`.
 */
export function refuseOwnChange(scope: ServiceScope, account: Held): void {
  if (isOwnChange(scope, account))
    throw new ServiceError('not_permitted', reason('address_changed_by_you'))
}

/**
 * The standing after another operator has confirmed the address. The change of the address can
 * still be contested.
 */
export function afterConfirmation(account: Account, now: Micros): Standing {
  const standing = standingOf(account)
  const { readdressed } = standing
  return readdressed ? { ...standing, readdressed: { ...readdressed, until: now } } : standing
}

/** Whether the actor is an operator, not the user or a program. */
export function isOperator({ actor }: Pick<ServiceScope, 'actor'>): boolean {
  return actor.name.startsWith('operator:')
}
