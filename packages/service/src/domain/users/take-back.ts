import { emailKey } from '../../store/email-key.ts'
import type { Account } from '../../store/ports.ts'
import type { Credential, Micros, StoredPassword, User } from '../../store/records.ts'
import { changeAccount, removedBetween } from '../ways/account-changes.ts'
import { withoutSessions } from '../ways/valid-logins.ts'
import { changedFields } from '../writes/changed-fields.ts'
import { unlessRefused } from '../writes/commit.ts'
import { type Scope, updated } from '../writes/context.ts'
import { deleteUser, findUser } from './users.ts'

/** An account as it was before a change that its owner may not have made. */
export interface Before {
  userId: string
  /** An instant before the change. */
  at: Micros
  email: string
  verifiedAt?: Micros | undefined
  /** The password from before, where there was one. */
  password?: StoredPassword | undefined
}

/** Whether the user has another address than before. */
export function hasMoved(user: User, { email }: Before): boolean {
  return user.emailKey !== emailKey(email)
}

/**
 * Gives an account back to its owner, in one write: all sessions end, the address from before the change returns, and the
 * password and everything that was added since is removed. It can be repeated.
 *
 * Another account that was made with the address meanwhile, and never proven, is deleted: an intruder could have made it.
 * One whose owner has proven the address stays.
 *
 * @returns The user as it is now; `taken`: another account has the address; `gone`: the user is deleted or disabled.
 */
export async function takeBack(scope: Scope, before: Before): Promise<User | 'taken' | 'gone'> {
  const { context } = scope
  const other = await findUser(scope, before.email)
  if (other && other.id !== before.userId && !(await removeUnproven(scope, other.id)))
    return 'taken'
  function change(account: Account): Account {
    const { user, credentials } = account
    if (user.disabled) return account
    const { email, verifiedAt } = before
    const address = hasMoved(user, before) ? { email, emailKey: emailKey(email), verifiedAt } : {}
    return {
      user: withoutSessions(context, updated(context, user, address)),
      credentials: credentials.filter((one) => !isOfSince(one, before.at)),
    }
  }
  const { userId } = before
  const account = await changeAccount(
    { scope, action: 'user.update', target: userId },
    userId,
    change,
    (last, next) => [...changedFields(last.user, next.user), ...removedBetween(last, next)],
  )
  if (account) return account.user.disabled ? 'gone' : account.user
  return (await findUser(scope, before.email)) ? 'taken' : 'gone'
}

/**
 * Deletes an account whose address was never proven. It is disabled first, in one write with that question: a disabled user
 * proves nothing.
 *
 * @returns Whether it is gone.
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

/** Whether an intruder may know or have it. A password that an operator has disabled stays so. */
function isOfSince({ kind, disabled, createdAt, updatedAt }: Credential, at: Micros): boolean {
  if (kind === 'password') return !disabled
  return (kind === 'recovery_codes' ? updatedAt : createdAt) >= at
}
