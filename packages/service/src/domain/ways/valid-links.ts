import type { Account, StandingEffect } from '../../store/ports.ts'
import { type Micros, newStanding, type Standing, type User } from '../../store/records.ts'
import type { DomainContext } from '../writes/context.ts'

/** The state of an account when a link was mailed, by which the link is judged when it is followed. */
export interface LinkOrigin {
  /** The address that it was mailed to, in the form in which addresses are compared. */
  readonly emailKey: string
  readonly moves: number
  readonly rulings: number
}

/** An origin as it was stored: links of an earlier release have counted nothing. */
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

/** The origin of a link that is mailed to the user now. */
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
 * Whether a mailed link still counts. It is not valid once the user has left the address that it
 * was mailed to, even if the user has it again, and once an operator has decided about the account.
 * The write that the link leads to has to judge it.
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
 * Whether the link that was mailed when the user left an address still counts. It outlives later moves, as an intruder
 * would only have to move twice; an operator ends it.
 */
export function isMoveLinkValid(
  account: Pick<Account, 'standing'>,
  { rulings }: Pick<LinkOrigin, 'rulings'>,
): boolean {
  return standingOf(account).rulings === rulings
}

/** The standing after an act of an operator: all earlier links are void, and a dispute is over. */
export function afterRuling(account: Account): Standing {
  const { moves, rulings, readdressed } = standingOf(account)
  return { ...newStanding, moves, rulings: rulings + 1, readdressed }
}

/**
 * The standing of a user whose address a link takes back. The reader of the present address can contest that.
 *
 * @param at - The instant to which the account is taken back.
 */
export function afterTakeBack(account: Account, at: Micros): Standing {
  const standing = standingOf(account)
  const { email, emailKey } = account.user
  const displaced = [...standing.displaced, { email, emailKey, at }]
  return { ...standing, moves: standing.moves + 1, displaced }
}

/** The effect of an edit of an operator: another address, or a user who is disabled or enabled, is a ruling. */
export function effectOfEdit(before: User, after: User): StandingEffect | undefined {
  const isRuling = before.emailKey !== after.emailKey || before.disabled !== after.disabled
  return isRuling ? 'ruled' : undefined
}

/** Whether the user is locked because two people claim the account. An operator who enables the user decides it. */
export function isContested({ disabled }: User, standing: Standing): boolean {
  const { contestedAt, readdressed } = standing
  return disabled && (contestedAt !== undefined || readdressed?.isContested === true)
}
