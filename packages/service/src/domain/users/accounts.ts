import { emailKey } from '../../store/email-key.ts'
import type { Account, StandingEffect } from '../../store/ports.ts'
import type {
  Credential,
  PasswordCredential,
  StoredPassword,
  TenantSettings,
  User,
} from '../../store/records.ts'
import { changeAccount, claimedUser, removedBetween } from '../ways/account-changes.ts'
import { holdOf } from '../ways/second-operator.ts'
import { afterRuling, isLinkValid, type StoredOrigin } from '../ways/valid-links.ts'
import {
  type EndingLogin,
  isLoginValid,
  type Login,
  withoutSessions,
} from '../ways/valid-logins.ts'
import { auditingFields, commit } from '../writes/commit.ts'
import { type DomainContext, nowMicros, type Scope, updated } from '../writes/context.ts'
import { ServiceError } from '../writes/errors.ts'
import { reason } from '../writes/reasons/index.ts'
import { passwordCredential } from './credentials.ts'
import { isSamePassword } from './passwords.ts'
import { createUser } from './users.ts'

/**
 * Creates a user who signed up.
 *
 * @param input - `password` is already hashed, so that a sign-up takes the same time if the address
 *   is taken.
 * @throws ServiceError `already_exists` when the address is taken.
 */
export function signUp(
  scope: Scope,
  input: { email: string; emailVerified: boolean; name: string; password: StoredPassword },
): Promise<User> {
  const profile: User['profile'] = input.name === '' ? {} : { name: input.name }
  const { email, emailVerified } = input
  return createUser(
    scope,
    { email, emailVerified, disabled: false, metadata: {}, profile },
    (user) => passwordCredential(scope.context, user, input.password),
  )
}

/**
 * Marks the user's address as verified.
 *
 * @param origin - The origin of the mailed link.
 * @returns Whether the link is still valid. `false` also if the account is on hold, or unknown.
 */
export async function confirmAddress(
  scope: Scope,
  userId: string,
  origin: StoredOrigin,
): Promise<boolean> {
  const { context } = scope
  let isValid = false
  function change(account: Account): Account {
    const { user } = account
    isValid = isLinkValid(account, origin) && !holdOf(account, nowMicros(context.clock))
    if (!isValid || user.verifiedAt !== undefined) return account
    return { ...account, user: updated(context, user, { verifiedAt: nowMicros(context.clock) }) }
  }
  const write = { scope, action: 'user.verify', target: userId } as const
  return (await changeAccount(write, userId, change)) !== undefined && isValid
}

/**
 * Sets a new password and ends all sessions. Only a person who can read the user's mail can do
 * this, so the address is verified too. The first verification claims the account, see {@link
 * claimAccount}.
 *
 * @param origin - The origin of the link that was mailed to the user.
 * @param isAllowed - A further condition on the account, checked inside the write. Default: none.
 * @returns Whether the password was set. `false` if the user or the password is disabled, the
 *   account is on hold, or the link is no longer valid.
 */
export async function resetPassword(
  scope: Scope,
  { id }: Pick<User, 'id'>,
  password: StoredPassword,
  origin: StoredOrigin,
  isAllowed: (account: Account) => boolean = () => true,
): Promise<boolean> {
  const { context } = scope
  let isDone = false
  function change(account: Account): Account {
    const { user } = account
    const { last, own, others } = replacePassword(context, account, password)
    const isHeld = holdOf(account, nowMicros(context.clock)) !== undefined
    const isOpen = isLinkValid(account, origin) && !isHeld && !user.disabled && !last?.disabled
    isDone = isOpen && isAllowed(account)
    if (!isDone) return account
    if (user.verifiedAt === undefined) {
      return { user: claimedUser(scope, user), credentials: [own] }
    }
    return { user: withoutSessions(context, user), credentials: [...others, own] }
  }
  const target = `${id}/password`
  const account = await changeAccount(
    { scope, action: 'credential.reset', target },
    id,
    change,
    removedBetween,
  )
  return account !== undefined && isDone
}

/**
 * Sets the password of a logged-in user, and ends all sessions except the login in `ending`.
 *
 * @param known - The current password as stored when it was verified; `undefined` if the user has
 *   none.
 * @returns Whether the password was set. `false` if the current one is disabled, was changed or
 *   removed meanwhile, or the login is no longer valid.
 */
export async function changePassword(
  scope: Scope,
  userId: string,
  { known, next }: { known: StoredPassword | undefined; next: StoredPassword },
  ending: EndingLogin,
): Promise<boolean> {
  const { context } = scope
  let isDone = false
  function change(account: Account): Account {
    const { user } = account
    const { last, own, others } = replacePassword(context, account, next)
    isDone = last
      ? !last.disabled && known !== undefined && isSamePassword(known, last)
      : known === undefined
    if (!isDone) return account
    return { user: { ...user, sessionsValidAfter: ending.at }, credentials: [...others, own] }
  }
  const target = `${userId}/password`
  const write = { scope, action: 'credential.update', target, ending } as const
  const account = await changeAccount(write, userId, change)
  return account !== undefined && isDone
}

/**
 * Makes the replacement of an account's password. Returns the last password, the new one (`own`),
 * and the other credentials.
 */
function replacePassword(
  context: DomainContext,
  { user, credentials }: Account,
  password: StoredPassword,
): { last: PasswordCredential | undefined; own: PasswordCredential; others: Credential[] } {
  const last = credentials.find((one) => one.kind === 'password')
  const own = last
    ? updated(context, last, { password, state: {} })
    : passwordCredential(context, user, password)
  return { last, own, others: credentials.filter((one) => one !== last) }
}

/** The claims that users can change themselves. An empty claim is removed. */
export type OwnClaims = Readonly<Record<'name' | 'given_name' | 'family_name', string>>

/** Changes the names of a user. @throws ServiceError `not_found`. */
export function changeProfile(scope: Scope, userId: string, claims: OwnClaims): Promise<User> {
  return changeUser(scope, userId, ({ profile }) => {
    const kept = Object.entries({ ...profile, ...claims }).filter(([, value]) => value !== '')
    return { profile: Object.fromEntries(kept) }
  })
}

/**
 * Sets a verified address for a logged-in user.
 *
 * @param user - The user as the caller has read it.
 * @param login - The login of the user, which must still be valid.
 * @throws ServiceError `already_exists` when the address is taken, `conflict` when the login is no
 *   longer valid or the user's address was changed meanwhile.
 */
export function changeAddress(
  scope: Scope,
  { id: userId, emailKey: known }: Pick<User, 'id' | 'emailKey'>,
  email: string,
  login: Login,
): Promise<User> {
  const verifiedAt = nowMicros(scope.context.clock)
  const change = (last: User): Partial<User> => {
    if (!isLoginValid(last, login.loggedInAt, login.keptAt)) {
      throw new ServiceError('conflict', reason('login_ended'))
    }
    // The message about the change is sent to the address that the caller knows.
    if (last.emailKey !== known)
      throw new ServiceError('conflict', reason('address_changed_meanwhile'))
    return { email, emailKey: emailKey(email), verifiedAt }
  }
  return changeUser(scope, userId, change, () => 'moved')
}

/**
 * Ends all sessions, refresh tokens and trusted devices of the user.
 *
 * @param ending - The login that ends the others and stays valid. Default: none, as for an
 *   operator.
 * @returns `false` if that login is no longer valid or the user is unknown. Nothing is changed in
 *   this case.
 */
export async function endAllSessions(
  scope: Scope,
  userId: string,
  ending?: EndingLogin,
): Promise<boolean> {
  const { context } = scope
  const write = { scope, action: 'user.update', target: userId, ending } as const
  const change = (account: Account): Account => {
    const { user, credentials } = account
    const last = updated(context, user, {})
    if (ending) return { user: { ...last, sessionsValidAfter: ending.at }, credentials }
    return { user: withoutSessions(context, last), credentials, standing: afterRuling(account) }
  }
  return (await changeAccount(write, userId, change, () => ['sessions'])) !== undefined
}

function changeUser(
  scope: Scope,
  userId: string,
  change: (last: User) => Partial<User>,
  effectOf?: () => StandingEffect,
): Promise<User> {
  const { context, tenantId } = scope
  return commit(scope, 'user.update', userId, (audit) =>
    context.store.users.update(
      tenantId,
      userId,
      auditingFields(audit, (last) => updated(context, last, change(last))),
      audit,
      effectOf,
    ),
  )
}

/**
 * Whether a logged-in user may continue. If the tenant requires it, the address must be verified.
 */
export function isAdmitted(
  { verifiedAt }: Pick<User, 'verifiedAt'>,
  settings: TenantSettings,
): boolean {
  return settings.allowUnverified || verifiedAt !== undefined
}

/**
 * Whether the user may set a new password by a mailed link. `false` if the user or the password is
 * disabled. The query also runs for an unknown user (`undefined`), so that the time is the same.
 */
export async function mayReset(
  { store }: DomainContext,
  tenantId: string,
  user: User | undefined,
): Promise<boolean> {
  const password = await store.credentials.get(tenantId, user?.id ?? 'nobody', 'password')
  return user !== undefined && !user.disabled && !password?.disabled
}
