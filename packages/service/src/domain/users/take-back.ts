import { emailKey } from '../../store/email-key.ts'
import type { Account } from '../../store/ports.ts'
import type { Credential, Micros, StoredPassword, User } from '../../store/records.ts'
import { changeAccount, removedBetween } from '../ways/account-changes.ts'
import { withoutSessions } from '../ways/valid-logins.ts'
import { changedFields } from '../writes/changed-fields.ts'
import { type Scope, updated } from '../writes/context.ts'

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
 * @returns The user as it is now; `undefined` where the user is gone or disabled, or another has the address.
 */
export async function takeBack(scope: Scope, before: Before): Promise<User | undefined> {
  const { context } = scope
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
  return account && !account.user.disabled ? account.user : undefined
}

/** Whether an intruder may know or have it. A password that an operator has disabled stays so. */
function isOfSince({ kind, disabled, createdAt, updatedAt }: Credential, at: Micros): boolean {
  if (kind === 'password') return !disabled
  return (kind === 'recovery_codes' ? updatedAt : createdAt) >= at
}
