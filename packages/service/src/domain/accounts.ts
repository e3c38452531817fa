import { emailKey } from '../store/email-key.ts'
import type {
  Credential,
  Micros,
  PasswordCredential,
  StoredPassword,
  TenantSettings,
  User,
} from '../store/records.ts'
import { commit, noting, unlessRefused } from './commit.ts'
import { type DomainContext, nowMicros, type Scope, updated } from './context.ts'
import { deleteCredential, passwordCredential } from './credentials.ts'
import { ServiceError } from './errors.ts'
import { isSamePassword, isStoredPassword } from './passwords.ts'
import { createUser } from './users.ts'

/**
 * Creates a user who signed up.
 *
 * @param input - `password` is hashed beforehand, so that a taken address costs the same time.
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
 * Notes that the user has proven the address.
 *
 * @returns Whether the address is still the user's own.
 */
export async function confirmAddress(
  scope: Scope,
  userId: string,
  provenKey: string,
): Promise<boolean> {
  const { context, tenantId } = scope
  function change(last: User): User {
    if (last.emailKey !== provenKey || last.verifiedAt !== undefined) return last
    return updated(context, last, { verifiedAt: nowMicros(context.clock) })
  }
  const confirmed = commit(scope, 'user.verify', userId, (audit) =>
    context.store.users.update(tenantId, userId, change, audit),
  )
  return (await unlessRefused(confirmed, 'not_found'))?.emailKey === provenKey
}

/**
 * Confirms the address of an account that a stranger may have made with it: its sessions end, and its
 * passwords, passkeys and accounts at providers are removed. Second steps stay.
 *
 * @returns Whether the address is still the user's own.
 */
export async function claimAccount(scope: Scope, { id, emailKey }: User): Promise<boolean> {
  const at = nowMicros(scope.context.clock)
  await endSessionsBefore(scope, id, at)
  await dropWaysIn(scope, id, at)
  return confirmAddress(scope, id, emailKey)
}

/**
 * Gives the user a new password and ends all sessions. Only a reader of the user's mail can do
 * this, so it proves the address as well.
 *
 * @returns Whether it was done; it is not for a disabled credential.
 */
export async function resetPassword(
  scope: Scope,
  user: User,
  password: StoredPassword,
): Promise<boolean> {
  const at = nowMicros(scope.context.clock)
  if (!(await replacePassword(scope, 'credential.reset', user, { password, at }))) return false
  if (user.verifiedAt === undefined) await dropWaysIn(scope, user.id, at, 'password')
  await confirmAddress(scope, user.id, user.emailKey)
  return true
}

/** A password that is to take the place of another one. */
interface NewPassword {
  password: StoredPassword
  /** From when on the user's sessions are valid. */
  at: Micros
}

/**
 * Removes everything by which the user can log in, because the owner of the address has come:
 * another person may have made the account before. Second steps stay, so that this bypasses none.
 *
 * @param at - Sessions from before end.
 * @param kept - The id of the one that the owner has set.
 */
async function dropWaysIn(scope: Scope, userId: string, at: Micros, kept?: string): Promise<void> {
  const { context, tenantId } = scope
  const page = { after: undefined, limit: 100 }
  const listed = await context.store.credentials.list(tenantId, userId, page)
  for (const credential of listed?.items ?? []) {
    const { id, kind } = credential
    const isWayIn =
      kind === 'password' || kind === 'social' || (kind === 'hardware' && credential.discoverable)
    if (!isWayIn || id === kept) continue
    await unlessRefused(deleteCredential(scope, userId, id, at), 'not_found')
  }
}

/**
 * Gives a user who is logged in a new password, and ends the sessions from before `at`.
 *
 * @param known - The password that the user has entered; `undefined`: the user has none.
 * @returns Whether it was done; it is not for a disabled credential, nor where another password was set
 *   or taken away meanwhile.
 */
export function changePassword(
  scope: Scope,
  user: User,
  known: StoredPassword | undefined,
  next: NewPassword,
): Promise<boolean> {
  return replacePassword(scope, 'credential.update', user, next, { known })
}

/** @param expected - The password that is replaced; without it, any one is, or none. */
async function replacePassword(
  scope: Scope,
  action: 'credential.reset' | 'credential.update',
  user: User,
  { password, at }: NewPassword,
  expected?: { known: StoredPassword | undefined },
): Promise<boolean> {
  const { context, tenantId } = scope
  const { credentials } = context.store
  function mayReplace(last: PasswordCredential): boolean {
    if (last.disabled) return false
    return !expected || (expected.known !== undefined && isSamePassword(expected.known, last))
  }
  function change(last: Credential) {
    if (last.kind !== 'password' || !mayReplace(last)) return { credential: last }
    return { credential: updated(context, last, { password, state: {} }), sessionsValidAfter: at }
  }
  const replaced = commit(scope, action, `${user.id}/password`, async (audit) => {
    const outcome = await credentials.update(tenantId, user.id, 'password', change, audit)
    if (outcome.kind !== 'missing' || expected?.known) return outcome
    return credentials.insert(passwordCredential(context, user, password), audit, at)
  })
  const credential = await unlessRefused(replaced, 'not_found', 'already_exists')
  if (credential?.kind !== 'password') return false
  return isStoredPassword(credential.password, password.alg, password.hash)
}

/** The claims that users decide about themselves. An empty one is taken away. */
export type OwnClaims = Readonly<Record<'name' | 'given_name' | 'family_name', string>>

/** Gives the user other names. */
export function changeProfile(scope: Scope, userId: string, claims: OwnClaims): Promise<User> {
  return changeUser(scope, userId, ({ profile }) => {
    const kept = Object.entries({ ...profile, ...claims }).filter(([, value]) => value !== '')
    return { profile: Object.fromEntries(kept) }
  })
}

/**
 * Gives a user who is logged in an address that was proven to be theirs.
 *
 * @param login - The times of the login; see {@link isLoginValid}.
 * @throws ServiceError `already_exists` when it is taken, `conflict` when the login has ended meanwhile.
 */
export function changeAddress(
  scope: Scope,
  userId: string,
  email: string,
  login: { loginTs?: number | undefined; keptAt?: number | undefined },
): Promise<User> {
  const verifiedAt = nowMicros(scope.context.clock)
  return changeUser(scope, userId, (last) => {
    if (!isLoginValid(last, login.loginTs, login.keptAt)) {
      throw new ServiceError('conflict', 'The login has ended meanwhile.')
    }
    return { email, emailKey: emailKey(email), verifiedAt }
  })
}

/** Ends the user's sessions, refresh tokens and trusted devices from before `at`. */
export function endSessionsBefore(scope: Scope, userId: string, at: Micros): Promise<User> {
  return changeUser(scope, userId, ({ sessionsValidAfter }) => ({
    sessionsValidAfter: Math.max(sessionsValidAfter, at),
  }))
}

function changeUser(
  scope: Scope,
  userId: string,
  change: (last: User) => Partial<User>,
): Promise<User> {
  const { context, tenantId } = scope
  return commit(scope, 'user.update', userId, (audit) =>
    context.store.users.update(
      tenantId,
      userId,
      noting(audit, (last) => updated(context, last, change(last))),
      audit,
    ),
  )
}

/**
 * Whether a login at `loggedInAt`, in seconds since the epoch, is still valid: not when the user is
 * disabled, or when the user's sessions were ended since.
 *
 * @param keptAt - When this login outlived such an end, because it was the one that asked for it.
 */
export function isLoginValid(user: User, loggedInAt = 0, keptAt = 0): boolean {
  if (user.disabled) return false
  return Math.round(Math.max(loggedInAt, keptAt) * 1e6) >= user.sessionsValidAfter
}

/** Whether a user who has logged in may go on: where the tenant asks for it, the address must be proven. */
export function isAdmitted(
  { verifiedAt }: Pick<User, 'verifiedAt'>,
  settings: TenantSettings,
): boolean {
  return settings.allowUnverified || verifiedAt !== undefined
}

/**
 * Whether the user may set a new password by a mailed link: not when the user or the password is
 * disabled. An unknown user (`undefined`) takes as long.
 */
export async function mayReset(
  { store }: DomainContext,
  tenantId: string,
  user: User | undefined,
): Promise<boolean> {
  const password = await store.credentials.get(tenantId, user?.id ?? 'nobody', 'password')
  return user !== undefined && !user.disabled && !password?.disabled
}
