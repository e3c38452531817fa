import type { Account, StandingEffect } from '../../store/ports.ts'
import { type Micros, newStanding, type Standing, type User } from '../../store/records.ts'
import type { DomainContext } from '../writes/context.ts'

/**
 * The state of an account when a link was mailed. It decides whether the link is still valid when
 * it is opened. `moves` counts changes of the address, `rulings` decisions of operators.
 */
export interface LinkOrigin {
  /** The address to which the link was mailed, in the form in which addresses are compared. */
  readonly emailKey: string
  readonly moves: number
  readonly rulings: number
}

/**
 * The stored state of an account when a link was mailed. Links of an earlier release have no
 * counts.
 */
export interface StoredOrigin {
  readonly emailKey: string
  readonly moves?: number | undefined
  readonly rulings?: number | undefined
}

/** Reads the standing of a user. */
export function readStanding(
  { store }: Pick<DomainContext, 'store'>,
  { tenantId, id }: Pick<User, 'tenantId' | 'id'>,
): Promise<Standing> {
  return store.users.standing(tenantId, id)
}

/** The state of an account to store with a link that is mailed now. */
export async function originOf(
  context: Pick<DomainContext, 'store'>,
  user: Pick<User, 'tenantId' | 'id' | 'emailKey'>,
): Promise<LinkOrigin> {
  const { moves, rulings } = await readStanding(context, user)
  return { emailKey: user.emailKey, moves, rulings }
}

/**
 * The standing of an account inside a write. An account without a stored standing has a new one.
 */
export function standingOf({ standing = newStanding }: Pick<Account, 'standing'>): Standing {
  return standing
}

/**
 * Whether a mailed link is still valid. A change of the address ends it, even if the address was
 * changed back; so does a decision of an operator about the account. Check the link inside the
 * write to which it leads.
 */
export function isLinkValid(
  account: Pick<Account, 'user' | 'standing'>,
  { emailKey, moves = 0, rulings = 0 }: StoredOrigin,
): boolean {
  const standing = standingOf(account)
  const isSameAddress = account.user.emailKey === emailKey && standing.moves === moves
  return isSameAddress && standing.rulings === rulings
}

/**
 * Whether the link that was mailed to a user's former address is still valid. Later changes of the
 * address do not end it, because an intruder could change the address twice. A decision of an
 * operator ends it.
 */
export function isMoveLinkValid(
  account: Pick<Account, 'standing'>,
  { rulings }: Pick<LinkOrigin, 'rulings'>,
): boolean {
  return standingOf(account).rulings === rulings
}

/**
 * The standing after a decision of an operator. Earlier links are no longer valid, and an open
 * dispute is closed.
 */
export function afterRuling(account: Account): Standing {
  const { moves, rulings, readdressed } = standingOf(account)
  return { ...newStanding, moves, rulings: rulings + 1, readdressed }
}

/**
 * The standing of a user whose former address a link restores. The reader of the current address
 * can contest that.
 *
 * @param at - The time whose state is restored.
 */
export function afterTakeBack(account: Account, at: Micros): Standing {
  const standing = standingOf(account)
  const { email, emailKey } = account.user
  const displaced = [...standing.displaced, { email, emailKey, at }]
  return { ...standing, moves: standing.moves + 1, displaced }
}

/**
 * The effect of an operator's edit on the standing. Changing the address, or disabling or enabling
 * the user, is a decision (`ruled`). Other edits have no effect (`undefined`).
 */
export function effectOfEdit(before: User, after: User): StandingEffect | undefined {
  const isRuling = before.emailKey !== after.emailKey || before.disabled !== after.disabled
  return isRuling ? 'ruled' : undefined
}

/**
 * Whether the user is disabled because two people claim the account. An operator decides the
 * dispute by enabling the user.
 */
export function isContested({ disabled }: User, standing: Standing): boolean {
  const { contestedAt, readdressed } = standing
  return disabled && (contestedAt !== undefined || readdressed?.isContested === true)
}
