import { credentialKinds } from '../../resources/credentials.ts'
import { emailKey } from '../../store/email-key.ts'
import type { Account } from '../../store/ports.ts'
import type {
  Credential,
  Displaced,
  Micros,
  Standing,
  StoredPassword,
  User,
} from '../../store/records.ts'
import { changeAccount, removedBetween } from '../ways/account-changes.ts'
import {
  afterTakeBack,
  isContested,
  isLinkValid,
  isMoveLinkValid,
  readStanding,
  type StoredOrigin,
  standingOf,
} from '../ways/valid-links.ts'
import { withoutSessions } from '../ways/valid-logins.ts'
import { changedFields } from '../writes/changed-fields.ts'
import { unlessRefused } from '../writes/commit.ts'
import { nowMicros, type Scope, updated } from '../writes/context.ts'
import { deleteUser, findUser } from './users.ts'

/**
 * The maximum number of displaced addresses of an account. At this number, an operator has to
 * decide before the account is taken back again.
 */
const MAX_DISPLACED = 20

/** The state of an account before a change that its owner may not have made. */
export interface Before extends Omit<StoredOrigin, 'emailKey'> {
  userId: string
  /** A time just before the change. */
  at: Micros
  email: string
  verifiedAt?: Micros | undefined
  /** The password before the change, if there was one. */
  password?: StoredPassword | undefined
  /** Whether the change was a change of the address. */
  isMove?: boolean | undefined
  /** The password before the oldest of the changes that the link of an address change undoes. */
  earlierPassword?: StoredPassword | undefined
}

/** Whether the user's address is no longer the one from before the change. */
export function hasMoved(user: User, { email }: Before): boolean {
  return user.emailKey !== emailKey(email)
}

/** Whether the link to take an account back is still valid. */
export function isUndoValid(account: Pick<Account, 'user' | 'standing'>, before: Before): boolean {
  const { moves, rulings = 0, isMove = false } = before
  if (isMove) return isMoveLinkValid(account, { rulings })
  return isLinkValid(account, { emailKey: emailKey(before.email), moves, rulings })
}

/** An account that was taken back. */
export interface TakenBack {
  user: User
  /**
   * The address that the account had before it was taken back, if it was another address. The
   * reader of that address can contest the outcome.
   */
  displaced: Displaced | undefined
  rulings: number
}

/**
 * Gives an account back to its owner in one write. It ends all sessions, restores the address from
 * before the change, and removes the password and all credentials added since. A repeated call has
 * the same outcome.
 *
 * Another account that got the address meanwhile and has not verified it is deleted, because an
 * intruder could have made it. An account with a verified address stays.
 *
 * @returns `taken` if another account has the address; `gone` if the user is deleted or disabled,
 *   the link is no longer valid, or an operator has to decide first.
 */
export async function takeBack(
  scope: Scope,
  before: Before,
): Promise<TakenBack | 'taken' | 'gone'> {
  const { context } = scope
  const other = await findUser(scope, before.email)
  if (other && other.id !== before.userId && !(await removeUnproven(scope, other.id)))
    return 'taken'
  let isValid = false
  function change(account: Account): Account {
    const { user, credentials } = account
    isValid = !user.disabled && isUndoValid(account, before) && !isTakenTooOften(account)
    if (!isValid) return account
    const { email, verifiedAt, at } = before
    const isMoved = hasMoved(user, before)
    const address = isMoved ? { email, emailKey: emailKey(email), verifiedAt } : {}
    return {
      user: withoutSessions(context, updated(context, user, address)),
      credentials: credentials.filter((one) => !isOfSince(one, at)),
      legacyPassword: null,
      ...(isMoved && { standing: afterTakeBack(account, at) }),
    }
  }
  const { userId } = before
  const account = await changeAccount(
    { scope, action: 'user.update', target: userId },
    userId,
    change,
    (last, next) => [...changedFields(last.user, next.user), ...removedBetween(last, next)],
  )
  if (!account) return (await findUser(scope, before.email)) ? 'taken' : 'gone'
  if (!isValid) return 'gone'
  const { displaced, rulings } = account.standing ?? (await readStanding(context, account.user))
  return {
    user: account.user,
    displaced: displaced.findLast(({ at }) => at === before.at),
    rulings,
  }
}

/**
 * Whether an operator has to decide before the account is taken back again. Each time an account is
 * taken back, one more address can contest that.
 */
function isTakenTooOften(account: Account): boolean {
  return standingOf(account).displaced.length >= MAX_DISPLACED
}

/**
 * The data of the link with which the reader of a displaced address contests that the account was
 * taken back.
 */
export interface Contest extends Displaced {
  userId: string
  rulings: number
}

/**
 * Whether the owner of a displaced address can still contest the change. If a link has displaced
 * the address, any decision of an operator ends this right.
 */
export function isContestValid(
  account: Pick<Account, 'user' | 'standing'>,
  link: Contest,
): boolean {
  const standing = standingOf(account)
  // Other acts of the operator who changed the address do not decide about that change.
  if (contestsOperator(standing, link)) return true
  return standing.rulings === link.rulings && standing.displaced.some(isOf(link))
}

/**
 * Whether the link contests that an operator has changed the address. Otherwise, it contests that
 * the account was taken back.
 */
export function contestsOperator({ readdressed }: Standing, link: Contest): boolean {
  return readdressed?.from.some(isOf(link)) === true
}

function isOf({ emailKey, at }: Contest): (one: Displaced) => boolean {
  return (one) => one.emailKey === emailKey && one.at === at
}

/**
 * Locks an account that two people claim. The user is disabled and all sessions end, until an
 * operator decides. A repeated call changes nothing.
 *
 * @returns The user; `undefined` if the link is no longer valid.
 */
export async function contest(scope: Scope, link: Contest): Promise<User | undefined> {
  const { context } = scope
  let isValid = false
  function change(account: Account): Account {
    const { user } = account
    isValid = isContestValid(account, link)
    if (!isValid || (user.disabled && isContested(user, standingOf(account)))) return account
    return {
      ...account,
      user: withoutSessions(context, updated(context, user, { disabled: true })),
      standing: contestedStanding(account, link, nowMicros(context.clock)),
    }
  }
  const write = { scope, action: 'user.update', target: link.userId } as const
  const account = await changeAccount(write, link.userId, change, (last, next) =>
    changedFields(last.user, next.user),
  )
  return isValid ? account?.user : undefined
}

function contestedStanding(account: Account, link: Contest, now: Micros): Standing {
  const standing = { ...standingOf(account), contestedAt: now }
  const { readdressed } = standing
  if (!readdressed || !contestsOperator(standing, link)) return standing
  return { ...standing, readdressed: { ...readdressed, isContested: true } }
}

/**
 * Deletes an account whose address was never verified. The write that checks this also disables the
 * user, because a disabled user cannot verify an address.
 *
 * @returns `false` if the address is verified.
 */
async function removeUnproven(scope: Scope, id: string): Promise<boolean> {
  const { context } = scope
  const write = { scope, action: 'user.update', target: id } as const
  const account = await changeAccount(write, id, (last) => {
    const { user, credentials } = last
    if (user.verifiedAt !== undefined) return last
    return {
      user: withoutSessions(context, updated(context, user, { disabled: true })),
      credentials,
    }
  })
  if (account?.user.verifiedAt !== undefined) return false
  await unlessRefused(deleteUser(scope, id), 'not_found')
  return true
}

/**
 * Whether an intruder may know or have the credential. A password that an operator has disabled
 * stays, and stays disabled.
 */
function isOfSince({ kind, disabled, createdAt, updatedAt }: Credential, at: Micros): boolean {
  if (kind === 'password') return !disabled
  // New recovery codes replace the earlier ones in the same credential, so their `updatedAt`
  // counts.
  return (credentialKinds[kind].role === 'substitute' ? updatedAt : createdAt) >= at
}
