import type { Credential, Micros, User } from '../store/records.ts'
import { type Actor, auditEntry, type DomainContext, nextUpdate, nowMicros } from './context.ts'
import { notFound, ServiceError } from './errors.ts'
import { newId } from './ids.ts'
import { checkEmail, checkMetadata, checkText, emailKey, limits } from './rules.ts'

/** What a caller decides about a user. */
export interface UserInput {
  email: string
  /** Whether the address is known to be the user's. */
  emailVerified: boolean
  /** Since when; not in the future. Default: now. */
  verifiedAt?: Micros | undefined
  disabled: boolean
  metadata: User['metadata']
  /** The standard claims other than the address. */
  profile: User['profile']
}

/**
 * Creates a user without credentials, or with the one that `credentialFor` makes for a sign-up.
 *
 * @throws ServiceError `already_exists` when the address is taken within the tenant.
 */
export async function createUser(
  context: DomainContext,
  actor: Actor,
  tenantId: string,
  input: UserInput,
  credentialFor?: (user: User) => Credential,
): Promise<User> {
  checkUser(input)
  const now = nowMicros(context.clock)
  const user: User = {
    id: newId('usr', context.clock),
    tenantId,
    createdAt: now,
    updatedAt: now,
    ...decided(input),
    verifiedAt: verifiedAt(input, now),
    sessionsValidAfter: 0,
  }
  const entry = auditEntry(context, actor, 'user.create', tenantId, user.id)
  const outcome = await context.store.users.insert(user, entry, credentialFor?.(user))
  if (outcome === 'duplicate') throw addressTaken()
  if (outcome === 'orphan') throw notFound()
  context.events.emit('change', entry)
  return user
}

/**
 * Replaces what a caller decides about a user by `input`, all of it.
 *
 * Another address is unverified, whatever `input` says: a client that GETs, changes and POSTs would
 * carry the proof of the old address along. Disabling ends the user's sessions.
 */
export async function updateUser(
  context: DomainContext,
  actor: Actor,
  tenantId: string,
  id: string,
  input: UserInput,
): Promise<User> {
  checkUser(input)
  const entry = auditEntry(context, actor, 'user.update', tenantId, id)
  const outcome = await context.store.users.update(
    tenantId,
    id,
    (current) => {
      const now = nowMicros(context.clock)
      const next = decided(input)
      const isSameAddress = next.emailKey === current.emailKey
      return {
        ...current,
        ...next,
        verifiedAt: isSameAddress ? verifiedAt(input, current.verifiedAt ?? now, now) : undefined,
        sessionsValidAfter: next.disabled && !current.disabled ? now : current.sessionsValidAfter,
        updatedAt: nextUpdate(context.clock, current.updatedAt),
      }
    },
    entry,
  )
  switch (outcome.kind) {
    case 'missing':
      throw notFound()
    case 'duplicate':
      throw addressTaken()
    case 'updated':
      context.events.emit('change', entry)
      return outcome.after
  }
}

/** Deletes a user with all credentials; answers with the last version. */
export async function deleteUser(
  context: DomainContext,
  actor: Actor,
  tenantId: string,
  id: string,
): Promise<User> {
  const entry = auditEntry(context, actor, 'user.delete', tenantId, id)
  const deleted = await context.store.users.delete(tenantId, id, entry)
  if (!deleted) throw notFound()
  context.events.emit('change', entry)
  return deleted
}

function decided(
  input: UserInput,
): Pick<User, 'email' | 'emailKey' | 'disabled' | 'metadata' | 'profile'> {
  const { email, disabled, metadata, profile } = input
  return { email, emailKey: emailKey(email), disabled, metadata, profile }
}

/** The posted instant when it is in the past, else `fallback`; nothing for an unproven address. */
function verifiedAt(input: UserInput, fallback: Micros, now = fallback): Micros | undefined {
  if (!input.emailVerified) return undefined
  return input.verifiedAt !== undefined && input.verifiedAt <= now ? input.verifiedAt : fallback
}

/** Refuses what no user may be. */
export function checkUser(input: UserInput): void {
  checkEmail('"profile.email"', input.email)
  checkMetadata(input.metadata)
  const members = Object.entries(input.profile)
  if (members.length > limits.profileMembers) {
    throw new ServiceError(
      'invalid_request',
      `"profile" has ${members.length} members; at most ${limits.profileMembers} are kept.`,
    )
  }
  for (const [name, value] of members) {
    checkText('invalid_request', 'The name of a member of "profile"', name, 100)
    checkText('invalid_request', `"profile.${name}"`, value)
  }
}

function addressTaken(): ServiceError {
  return new ServiceError('already_exists', 'Another user of this tenant has this "profile.email".')
}
