import { credentialKinds, isSecondFactor } from '../../resources/credentials.ts'
import type { Account } from '../../store/ports.ts'
import type { Credential, CredentialKind, User } from '../../store/records.ts'
import { changedValues } from '../writes/changed-fields.ts'
import { commit, unlessRefused, type WriteAction } from '../writes/commit.ts'
import { nowMicros, type Scope, updated } from '../writes/context.ts'
import { found } from '../writes/errors.ts'
import { afterConfirmation, holdOf, refuseOwnChange } from './second-operator.ts'
import { afterRuling } from './valid-links.ts'
import { type EndingLogin, isLoginValid, type Login, withoutSessions } from './valid-logins.ts'
import { hasOpenWay, isOpenWay, type TenantWays } from './ways-in.ts'

/** The maximum number of credentials of a user. */
const MOST = 40

/** The number of credentials of a kind that the user can still add. */
export function roomFor(kind: CredentialKind, credentials: readonly Credential[]): number {
  const ofKind = credentials.filter((credential) => credential.kind === kind).length
  const described = credentialKinds[kind]
  const most = 'most' in described ? described.most : 1
  return Math.min(most - ofKind, MOST - credentials.length)
}

/** The audit data of a change to an account, and the login that makes the change. */
interface AccountWrite {
  readonly scope: Scope
  readonly action: WriteAction
  readonly target: string
  /**
   * The login of the user who makes the change. `undefined` if another person or a program makes
   * it.
   */
  readonly login?: Login | undefined
  /** The login of the user who makes the change, if the change ends all other sessions. */
  readonly ending?: EndingLogin | undefined
}

/**
 * Changes a user together with the user's credentials.
 *
 * @param change - Returns the changed account from the current one, inside the write. If it returns
 *   the same object, nothing is written. The store may call it more than once.
 * @param notes - Returns the names of changed members for the audit entry, such as the ids of
 *   removed credentials.
 * @returns The account after the call. `undefined` if there is no such user, the login is no longer
 *   valid, or a credential belongs to another user.
 */
export async function changeAccount(
  { scope, action, target, ending, login = ending?.login }: AccountWrite,
  userId: string,
  change: (account: Account) => Account,
  notes?: (before: Account, after: Account) => readonly string[],
): Promise<Account | undefined> {
  const { context, tenantId } = scope
  let isAllowed = true
  const written = commit(scope, action, target, (audit) =>
    context.store.users.updateAccount(
      tenantId,
      userId,
      (before) => {
        const { user } = before
        isAllowed = !login || isLoginValid(user, login.loggedInAt, login.keptAt)
        if (ending && ending.at <= user.sessionsValidAfter) isAllowed = false
        const after = isAllowed ? change(before) : before
        if (notes) audit.fields = notes(before, after)
        audit.changes = changedValues(before.user, after.user)
        return after
      },
      audit,
    ),
  )
  const account = await unlessRefused(written, 'not_found', 'already_exists')
  return isAllowed ? account : undefined
}

/** The options for adding a credential. */
interface AddOptions {
  /** The login of the user, which must still be valid. */
  readonly login?: Login
  /**
   * Data for the user's first second factor, which ends all other sessions and adds recovery codes.
   */
  readonly first?: { readonly ending: EndingLogin; readonly recovery: Credential }
}

/** The outcome of {@link addCredential}. */
export type Added = 'refused' | 'added' | 'added_first'

/**
 * Adds a credential to a user.
 *
 * @returns `added_first` if the user's first second factor was added with `first`. `refused` if the
 *   user has a credential with this id or at this connection or has the most allowed, if another
 *   user has the credential, or if the login is no longer valid.
 */
export async function addCredential(
  scope: Scope,
  credential: Credential,
  { login, first }: AddOptions = {},
): Promise<Added> {
  const { userId, id } = credential
  let added: Added = 'refused'
  function change(account: Account): Account {
    const { credentials } = account
    added = 'refused'
    if (credentials.some((known) => known.id === id)) return account
    if (roomFor(credential.kind, credentials) < 1) return account
    if (credentials.some((known) => isSameConnection(known, credential))) return account
    if (!isSecondFactor(credential) || credentials.some(isSecondFactor) || !(login || first)) {
      added = 'added'
      return { ...account, credentials: [...credentials, credential] }
    }
    // The user's other second factors were removed meanwhile. Adding the only second factor has to
    // end the sessions, which needs `first`.
    if (!first) return account
    added = 'added_first'
    const { ending, recovery } = first
    const others = credentials.filter((one) => one.id !== recovery.id)
    return {
      user: { ...account.user, sessionsValidAfter: ending.at },
      credentials: [...others, credential, recovery],
    }
  }
  const write = {
    scope,
    action: 'credential.create',
    target: `${userId}/${id}`,
    login,
    ending: first?.ending,
  } as const
  const account = await changeAccount(write, userId, change, (before, after) =>
    removedBetween(after, before).filter((other) => other !== id),
  )
  return account ? added : 'refused'
}

/** Whether both are accounts at the same connection. A user can have one account per connection. */
function isSameConnection(a: Credential, b: Credential): boolean {
  return a.kind === 'social' && b.kind === 'social' && a.connectionId === b.connectionId
}

/** Whether the credential is the user's only way to log in now. */
export function isOnlyWay(
  tenant: TenantWays,
  credentials: readonly Credential[],
  id: string,
): boolean {
  const removed = credentials.find((one) => one.id === id)
  if (!removed || !isOpenWay(tenant, removed)) return false
  const left = credentials.filter((one) => one !== removed)
  return !hasOpenWay(tenant, left)
}

/**
 * Removes a credential on behalf of its user. Removing the last second factor also removes the
 * recovery codes. All other sessions end.
 *
 * @returns `gone` if there is no such credential, or the login is no longer valid. `only_way` if
 *   the user could no longer log in without the credential, so nothing was removed.
 */
export async function removeOwnCredential(
  scope: Scope,
  tenant: TenantWays,
  { userId, id }: Pick<Credential, 'userId' | 'id'>,
  ending: EndingLogin,
): Promise<'removed' | 'gone' | 'only_way'> {
  let outcome: 'removed' | 'gone' | 'only_way' = 'gone'
  function change(account: Account): Account {
    const { user, credentials } = account
    const left = credentials.filter((one) => one.id !== id)
    outcome = left.length < credentials.length ? 'removed' : 'gone'
    if (isOnlyWay(tenant, credentials, id)) outcome = 'only_way'
    if (outcome !== 'removed') return account
    return {
      user: { ...user, sessionsValidAfter: ending.at },
      credentials: left.some(isSecondFactor)
        ? left
        : left.filter(({ kind }) => credentialKinds[kind].role !== 'substitute'),
    }
  }
  const write = { scope, action: 'credential.delete', target: `${userId}/${id}`, ending } as const
  const account = await changeAccount(write, userId, change, (before, after) =>
    removedBetween(before, after).filter((other) => other !== id),
  )
  return account ? outcome : 'gone'
}

/**
 * Gives an account to the owner of its address, who has just verified the address. The first
 * verification removes all credentials and sessions, including second steps, because another person
 * may have created the account. An account whose address was verified before keeps them, and `own`
 * is added if it can be.
 *
 * @param user - The user, with the address that was verified. Nothing is done if the address has
 *   changed meanwhile.
 * @param own - A credential that the owner has just set.
 * @returns The user, and whether this was the first verification. `undefined` when the user has
 *   another address, the address waits for a second operator, or the credential is another user's.
 */
export async function claimAccount(
  scope: Scope,
  { id, emailKey }: Pick<User, 'id' | 'emailKey'>,
  own?: Credential,
): Promise<{ user: User; isFirstProof: boolean } | undefined> {
  let isFirstProof = false
  let isHeld = false
  function change(account: Account): Account {
    const { user, credentials } = account
    isHeld = holdOf(account, nowMicros(scope.context.clock)) !== undefined
    if (isHeld) return account
    isFirstProof = user.emailKey === emailKey && user.verifiedAt === undefined
    if (isFirstProof) {
      return {
        user: claimedUser(scope, user),
        credentials: own ? [own] : [],
        legacyPassword: null,
      }
    }
    const mayAdd =
      own !== undefined &&
      user.emailKey === emailKey &&
      roomFor(own.kind, credentials) > 0 &&
      credentials.every((one) => one.id !== own.id && !isSameConnection(one, own))
    return mayAdd ? { user, credentials: [...credentials, own] } : account
  }
  const write = { scope, action: 'user.verify', target: id } as const
  const claimed = await changeAccount(write, id, change, (before, after) => [
    'profile.email_verified',
    ...removedBetween(before, after),
  ])
  if (isHeld) return undefined
  return claimed?.user.emailKey === emailKey ? { user: claimed.user, isFirstProof } : undefined
}

/**
 * Marks the address of a user as verified on behalf of an operator. The first verification removes
 * all credentials and sessions, as in {@link claimAccount}.
 *
 * @throws ServiceError `not_permitted` for the operator who has recently changed the address,
 *   `not_found` for an unknown user.
 */
export async function confirmByOperator(scope: Scope, userId: string): Promise<User> {
  const now = nowMicros(scope.context.clock)
  function change(account: Account): Account {
    const { user } = account
    refuseOwnChange(scope, account)
    if (user.verifiedAt !== undefined) return account
    const isHeld = holdOf(account, now) !== undefined
    return {
      user: claimedUser(scope, user),
      credentials: [],
      legacyPassword: null,
      ...(isHeld && { standing: afterConfirmation(account, now) }),
    }
  }
  const write = { scope, action: 'user.verify', target: userId } as const
  const account = await changeAccount(write, userId, change, (before, after) => [
    'profile.email_verified',
    ...removedBetween(before, after),
  ])
  return found(account).user
}

/**
 * Removes a credential on behalf of an operator. All sessions end.
 *
 * @throws ServiceError `not_permitted` for the operator who has recently changed the address,
 *   `not_found` if there is no such credential.
 */
export async function removeByOperator(scope: Scope, userId: string, id: string): Promise<void> {
  function change(account: Account): Account {
    const { user, credentials } = account
    found(credentials.find((one) => one.id === id))
    refuseOwnChange(scope, account)
    return {
      user: withoutSessions(scope.context, user),
      credentials: credentials.filter((one) => one.id !== id),
      standing: afterRuling(account),
    }
  }
  const write = { scope, action: 'credential.delete', target: `${userId}/${id}` } as const
  found(await changeAccount(write, userId, change))
}

/** The user with an address that is verified now, and without sessions. */
export function claimedUser({ context }: Scope, user: User): User {
  return withoutSessions(context, updated(context, user, { verifiedAt: nowMicros(context.clock) }))
}

/** The ids of the credentials that `before` has and `after` lacks. */
export function removedBetween(before: Account, after: Account): string[] {
  const left = new Set(after.credentials.map(({ id }) => id))
  return before.credentials.map(({ id }) => id).filter((id) => !left.has(id))
}
