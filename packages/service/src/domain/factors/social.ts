import type { Credential, SocialCredential, User } from '../../store/records.ts'
import { createUser, lookUpUser } from '../users/users.ts'
import { addCredential } from '../ways/account-changes.ts'
import type { Login } from '../ways/valid-logins.ts'
import type { DomainContext, Scope } from '../writes/context.ts'
import { nowMicros } from '../writes/context.ts'
import { socialCredentialId } from '../writes/ids.ts'
import { isWhole, limits } from '../writes/rules.ts'
import { newRecord, use } from './factors.ts'

/** An account at a provider, from the provider's claims. */
export interface SocialAccount {
  connectionId: string
  issuer: string
  subject: string
  /** The email address; empty if the provider sends none. */
  email: string
}

/**
 * Finds the user to whom an account at a provider is connected, and the credential. Returns
 * `undefined` if the account is connected to no user.
 */
export async function findConnected(
  { store }: Pick<DomainContext, 'store'>,
  tenantId: string,
  account: SocialAccount,
): Promise<{ user: User; credential: SocialCredential } | undefined> {
  const credential = await store.credentials.findSocial(tenantId, socialCredentialId(account))
  const user = credential && (await lookUpUser({ store }, tenantId, credential.userId))
  return user && { user, credential }
}

/**
 * Whether the user already has another account at this connection. A provider may reassign an
 * address to another person, so having the same address does not prove that it is the same user.
 */
export async function hasOtherAccount(
  { store }: Pick<DomainContext, 'store'>,
  { tenantId, id }: User,
  account: SocialAccount,
): Promise<boolean> {
  const own = socialCredentialId(account)
  const page = { after: undefined, limit: 100 }
  const listed = await store.credentials.list(tenantId, id, page)
  const isOther = (one: Credential) =>
    one.kind === 'social' && one.connectionId === account.connectionId && one.id !== own
  return listed?.items.some(isOther) ?? false
}

/**
 * Connects an account at a provider to a user.
 *
 * @param login - The user's own login, which must still be valid. Default: no login is checked.
 * @returns `false` if the account is already connected to this user or another, the user has
 *   another account at the same connection or the maximum number of accounts, or the login is no
 *   longer valid.
 */
export async function connectAccount(
  scope: Scope,
  user: User,
  account: SocialAccount,
  login?: Login,
): Promise<boolean> {
  const credential = socialCredential(scope, user, account)
  return (await addCredential(scope, credential, login ? { login } : {})) !== 'refused'
}

/**
 * Stores the use of an account at a provider. Resolves to `false` if the account was disabled or
 * removed meanwhile.
 */
export function noteSocialProof(scope: Scope, { userId, id }: SocialCredential): Promise<boolean> {
  const usedAt = nowMicros(scope.context.clock)
  return use(scope, userId, id, (last) =>
    last.kind === 'social' ? { ...last, state: { usedAt } } : undefined,
  )
}

/**
 * Creates a user who logs in with an account at a provider. A name that is too long or malformed is
 * left out.
 *
 * @throws ServiceError `already_exists` when the address is taken, or the account is connected.
 */
export function signUpByAccount(
  scope: Scope,
  account: SocialAccount,
  { name, emailVerified }: { name: string; emailVerified: boolean },
): Promise<User> {
  const isName = name !== '' && [...name].length <= limits.textLength && isWhole(name)
  const profile: User['profile'] = isName ? { name } : {}
  const input = { email: account.email, emailVerified, disabled: false, metadata: {}, profile }
  return createUser(scope, input, (user) => socialCredential(scope, user, account))
}

/** Makes the credential of an account at a provider, without storing it. */
export function socialCredential(
  scope: Scope,
  user: User,
  account: SocialAccount,
): SocialCredential {
  const record = newRecord(scope, user, socialCredentialId(account))
  return { ...record, kind: 'social', ...account, state: {} }
}
