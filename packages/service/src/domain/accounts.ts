import type { Micros, StoredPassword, User } from '../store/records.ts'
import { commonPasswords } from './common-passwords.ts'
import { type Actor, auditEntry, type DomainContext, nextUpdate, nowMicros } from './context.ts'
import { passwordCredential } from './credentials.ts'
import { emailKey } from './rules.ts'
import { createUser } from './users.ts'

/** Why a password that a user chose is not good enough. */
export type PasswordProblem = 'short' | 'long' | 'common' | 'email' | 'character'

const MIN_CHARACTERS = 8

/** bcrypt reads no further. */
const MAX_BYTES = 72

/** Judges a password that a user chose; `undefined` when it will do. */
export function judgePassword(password: string, email: string): PasswordProblem | undefined {
  const text = password.normalize('NFC')
  if ([...text].length < MIN_CHARACTERS) return 'short'
  if (Buffer.byteLength(text) > MAX_BYTES) return 'long'
  if (text.includes('\0') || !text.isWellFormed()) return 'character'
  if (text.toLowerCase() === emailKey(email)) return 'email'
  if (commonPasswords.has(text.toLowerCase())) return 'common'
  return undefined
}

/**
 * Creates a user who signed up, with an address that is still to be proven.
 *
 * @param input - `password` is hashed beforehand, so that a taken address costs the same time.
 * @throws ServiceError `already_exists` when the address is taken.
 */
export async function signUp(
  context: DomainContext,
  actor: Actor,
  tenantId: string,
  input: { email: string; name: string; password: StoredPassword },
): Promise<User> {
  const profile: User['profile'] = input.name === '' ? {} : { name: input.name }
  return createUser(
    context,
    actor,
    tenantId,
    { email: input.email, emailVerified: false, disabled: false, metadata: {}, profile },
    (user) => passwordCredential(context, user, input.password),
  )
}

/**
 * Notes that the user has proven the address.
 *
 * @returns Whether the address is still the user's own.
 */
export async function confirmAddress(
  context: DomainContext,
  actor: Actor,
  tenantId: string,
  userId: string,
  provenKey: string,
): Promise<boolean> {
  const entry = auditEntry(context, actor, 'user.verify', tenantId, userId)
  const outcome = await context.store.users.update(
    tenantId,
    userId,
    (current) => {
      if (current.emailKey !== provenKey || current.verifiedAt !== undefined) return current
      const updatedAt = nextUpdate(context.clock, current.updatedAt)
      return { ...current, verifiedAt: nowMicros(context.clock), updatedAt }
    },
    entry,
  )
  if (outcome.kind !== 'updated' || outcome.after.emailKey !== provenKey) return false
  if (outcome.before !== outcome.after) context.events.emit('change', entry)
  return true
}

/**
 * Gives the user a new password and ends all sessions. Whoever could do this has read the user's
 * mail, so it proves the address as well.
 *
 * @returns Whether it was done; it is not for a disabled credential.
 */
export async function resetPassword(
  context: DomainContext,
  actor: Actor,
  user: User,
  password: StoredPassword,
): Promise<boolean> {
  const now = nowMicros(context.clock)
  const entry = auditEntry(context, actor, 'credential.reset', user.tenantId, `${user.id}/password`)
  const isSet = await replacePassword(context, user, password, now, entry)
  if (!isSet) return false
  context.events.emit('change', entry)
  await confirmAddress(context, actor, user.tenantId, user.id, user.emailKey)
  return true
}

async function replacePassword(
  context: DomainContext,
  user: User,
  password: StoredPassword,
  now: Micros,
  entry: ReturnType<typeof auditEntry>,
): Promise<boolean> {
  const { credentials } = context.store
  const outcome = await credentials.update(
    user.tenantId,
    user.id,
    'password',
    (current) => {
      if (current.disabled) return { credential: current }
      const updatedAt = nextUpdate(context.clock, current.updatedAt)
      return { credential: { ...current, password, updatedAt }, sessionsValidAfter: now }
    },
    entry,
  )
  if (outcome.kind === 'updated') return !outcome.after.disabled
  const created = passwordCredential(context, user, password)
  return (await credentials.insert(created, entry, now)) === 'inserted'
}

/**
 * Whether a login at `loggedInAt`, in seconds since the epoch, is still valid: not when the user is
 * disabled, or when the user's sessions were ended since.
 */
export function isLoginValid(user: User, loggedInAt: number | undefined): boolean {
  if (user.disabled) return false
  return Math.round((loggedInAt ?? 0) * 1e6) >= user.sessionsValidAfter
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
