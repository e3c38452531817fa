import type { Credential, SocialCredential, User } from '../store/records.ts'
import { unlessRefused } from './commit.ts'
import type { DomainContext, Scope } from './context.ts'
import { nowMicros } from './context.ts'
import { deleteCredential } from './credentials.ts'
import { enrol, newRecord, use } from './factors.ts'
import { socialCredentialId } from './ids.ts'
import { limits } from './rules.ts'
import { createUser, lookUpUser } from './users.ts'

/** An account at a provider, as the provider has asserted it. */
export interface SocialAccount {
  connectionId: string
  issuer: string
  subject: string
  /** Empty where the provider tells none. */
  email: string
}

/** The user to whom an account at a provider is connected. */
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
 * Whether a connection has named another account of the user's already. A provider may give an address to
 * another person: who has it now is then no proof of who they are.
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

/** How many accounts at providers a user can have. */
const MAX_ACCOUNTS = 20

/**
 * Connects an account at a provider; `false` when it is connected already, to this user or another, when the user
 * has another account at the same connection, or as many as one can have.
 */
export async function connectAccount(
  scope: Scope,
  user: User,
  account: SocialAccount,
): Promise<boolean> {
  const { context, tenantId } = scope
  const page = { after: undefined, limit: 100 }
  const listed = await context.store.credentials.list(tenantId, user.id, page)
  const accounts = listed?.items.filter(({ kind }) => kind === 'social') ?? []
  if (accounts.length >= MAX_ACCOUNTS) return false
  if (await hasOtherAccount(context, user, account)) return false
  const credential = credentialOf(scope, user, account)
  if (!(await enrol(scope, credential, undefined))) return false
  // Of two that were connected at the same moment, at least the later one sees the other, and goes.
  if (!(await hasOtherAccount(context, user, account))) return true
  await unlessRefused(deleteCredential(scope, user.id, credential.id), 'not_found')
  return false
}

/** Notes that the account was proven. It is not when it was disabled or removed meanwhile. */
export function noteSocialProof(scope: Scope, { userId, id }: SocialCredential): Promise<boolean> {
  const usedAt = nowMicros(scope.context.clock)
  return use(scope, userId, id, (last) =>
    last.kind === 'social' ? { ...last, state: { usedAt } } : undefined,
  )
}

/**
 * Creates a user who logs in by an account at a provider.
 *
 * @throws ServiceError `already_exists` when the address is taken, or the account is connected.
 */
export function signUpByAccount(
  scope: Scope,
  account: SocialAccount,
  { name, emailVerified }: { name: string; emailVerified: boolean },
): Promise<User> {
  const isName = name !== '' && [...name].length <= limits.textLength && !name.includes('\0')
  const profile: User['profile'] = isName && name.isWellFormed() ? { name } : {}
  const input = { email: account.email, emailVerified, disabled: false, metadata: {}, profile }
  return createUser(scope, input, (user) => credentialOf(scope, user, account))
}

function credentialOf(scope: Scope, user: User, account: SocialAccount): SocialCredential {
  const record = newRecord(scope, user, socialCredentialId(account))
  return { ...record, kind: 'social', ...account, state: {} }
}
