import { emailKey } from '../store/email-key.ts'
import type { Credential, Micros, StoredPassword, User } from '../store/records.ts'
import { commit, noting, unlessRefused } from './commit.ts'
import { nowMicros, type Scope, updated } from './context.ts'
import { deleteCredential } from './credentials.ts'

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
 * Gives an account back to its owner: all sessions end, the address from before the change returns, and the
 * password and everything that was added since is removed. It can be repeated.
 *
 * @returns The user as it is now; `undefined` where the user is gone or disabled, or another has the address.
 */
export async function takeBack(scope: Scope, before: Before): Promise<User | undefined> {
  const { context, tenantId } = scope
  const { store } = context
  const now = nowMicros(context.clock)
  function change(last: User): User {
    if (last.disabled) return last
    const { email, verifiedAt } = before
    const address = hasMoved(last, before) ? { email, emailKey: emailKey(email), verifiedAt } : {}
    // Later than any session that outlived an earlier end.
    const sessionsValidAfter = Math.max(last.sessionsValidAfter + 1, now)
    return updated(context, last, { ...address, sessionsValidAfter })
  }
  const changed = commit(scope, 'user.update', before.userId, (audit) =>
    store.users.update(tenantId, before.userId, noting(audit, change), audit),
  )
  const user = await unlessRefused(changed, 'not_found', 'already_exists')
  if (!user || user.disabled) return undefined

  const page = { after: undefined, limit: 100 }
  const listed = await store.credentials.list(tenantId, user.id, page)
  for (const credential of listed?.items ?? []) {
    if (!isOfSince(credential, before.at)) continue
    await unlessRefused(deleteCredential(scope, user.id, credential.id, now), 'not_found')
  }
  return user
}

/** Whether an intruder may know or have it. A password that an operator has disabled stays so. */
function isOfSince({ kind, disabled, createdAt, updatedAt }: Credential, at: Micros): boolean {
  if (kind === 'password') return !disabled
  return (kind === 'recovery_codes' ? updatedAt : createdAt) >= at
}
