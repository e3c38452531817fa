import type { Account, StandingEffect } from '../../store/ports.ts'
import { type Micros, newStanding, type Standing, type User } from '../../store/records.ts'
import type { DomainContext } from '../writes/context.ts'

/** The state of an account when a link was mailed. It decides whether the link still counts when it is followed. */
export interface LinkOrigin {
  /** The address to which it was mailed, in the form in which addresses are compared. */
  readonly emailKey: string
  readonly moves: number
  readonly rulings: number
}

/** A stored origin. Links of an earlier release have no counts. */
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

/** The origin of a link that is mailed now. */
export async function originOf(
  context: Pick<DomainContext, 'store'>,
  user: Pick<User, 'tenantId' | 'id' | 'emailKey'>,
): Promise<LinkOrigin> {
  const { moves, rulings } = await readStanding(context, user)
  return { emailKey: user.emailKey, moves, rulings }
}

/** The standing of an account that is being changed. */
export function standingOf({ standing = newStanding }: Pick<Account, 'standing'>): Standing {
  return standing
}

/**
 * Whether a mailed link still counts. It does not once the address was changed, even if it was
 * changed back, or once an operator has decided about the account. Check it inside the write that
 * the link leads to.
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
 * Whether the link that was mailed when the user left an address still counts. Later changes of the address do not end
 * it, because an intruder would only have to make two. A decision of an operator does.
 */
export function isMoveLinkValid(
  account: Pick<Account, 'standing'>,
  { rulings }: Pick<LinkOrigin, 'rulings'>,
): boolean {
  return standingOf(account).rulings === rulings
}

/** The standing after an act of an operator: earlier links are void, and a dispute is over. */
export function afterRuling(account: Account): Standing {
  const { moves, rulings, readdressed } = standingOf(account)
  return { ...newStanding, moves, rulings: rulings + 1, readdressed }
}

/**
 * The standing of a user whose address a link takes back. The reader of the present address can contest that.
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
 * The effect of an operator's edit on the standing: changing the address, and disabling or enabling the user, are
 * rulings.
 */
export function effectOfEdit(before: User, after: User): StandingEffect | undefined {
  const isRuling = before.emailKey !== after.emailKey || before.disabled !== after.disabled
  return isRuling ? 'ruled' : undefined
}

/** Whether the user is locked because two people claim the account. An operator who enables the user decides it. */
export function isContested({ disabled }: User, standing: Standing): boolean {
  const { contestedAt, readdressed } = standing
  return disabled && (contestedAt !== undefined || readdressed?.isContested === true)
}
