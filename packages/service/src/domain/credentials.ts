import type { Credential, Metadata, StoredPassword, User } from '../store/records.ts'
import { type Actor, auditEntry, type DomainContext, nextUpdate, nowMicros } from './context.ts'
import { notFound, ServiceError } from './errors.ts'
import { importPassword, isStalePassword, isStoredPassword } from './passwords.ts'
import { checkMetadata } from './rules.ts'

/** What a caller decides about a password credential; `alg` and `hash` as the caller sent them. */
export interface CredentialInput {
  disabled: boolean
  metadata: Metadata
  alg: string
  hash: string
}

/**
 * Gives a user a password.
 *
 * @throws ServiceError `already_exists` when the user has one: a create never overwrites a password.
 */
export async function createCredential(
  context: DomainContext,
  actor: Actor,
  tenantId: string,
  userId: string,
  input: CredentialInput,
): Promise<Credential> {
  checkMetadata(input.metadata)
  // Hashing is the expensive part, so what would be refused anyway is refused before it.
  const user = await context.store.users.get(tenantId, userId)
  if (!user) throw notFound()
  if (await context.store.credentials.get(tenantId, userId, 'password')) throw passwordExists()

  const password = await importPassword(context, input.alg, input.hash)
  const credential = passwordCredential(context, user, password, input)
  const entry = auditEntry(context, actor, 'credential.create', tenantId, `${userId}/password`)
  const outcome = await context.store.credentials.insert(credential, entry)
  if (outcome === 'duplicate') throw passwordExists()
  if (outcome === 'orphan') throw notFound()
  context.events.emit('change', entry)
  return credential
}

/** A password credential of `user`, made now. */
export function passwordCredential(
  context: DomainContext,
  user: User,
  password: StoredPassword,
  input: Pick<CredentialInput, 'disabled' | 'metadata'> = { disabled: false, metadata: {} },
): Credential {
  const now = nowMicros(context.clock)
  return {
    type: 'PasswordCredential',
    id: 'password',
    tenantId: user.tenantId,
    userId: user.id,
    createdAt: now,
    updatedAt: now,
    metadata: input.metadata,
    disabled: input.disabled,
    password,
  }
}

/**
 * Replaces what a caller decides about a credential by `input`, all of it.
 *
 * The stored pair of `alg` and `hash` leaves the password as it is. A new pair is handled as on
 * create and ends the user's sessions.
 *
 * @throws ServiceError `conflict` for a copy from before a login upgraded the hash.
 */
export async function updateCredential(
  context: DomainContext,
  actor: Actor,
  tenantId: string,
  userId: string,
  id: string,
  input: CredentialInput,
): Promise<Credential> {
  checkMetadata(input.metadata)
  const stored = await context.store.credentials.get(tenantId, userId, id)
  if (!stored) throw notFound()
  const { alg, hash } = input
  const isUnchanged = isStoredPassword(stored.password, alg, hash)
  if (!isUnchanged && isStalePassword(stored.password, alg, hash)) throw staleCopy()
  const replacement = isUnchanged ? undefined : await importPassword(context, alg, hash)

  const entry = auditEntry(context, actor, 'credential.update', tenantId, `${userId}/${id}`)
  const outcome = await context.store.credentials.update(
    tenantId,
    userId,
    id,
    (current) => {
      const isStillUnchanged = isStoredPassword(current.password, alg, hash)
      if (!replacement && !isStillUnchanged) throw staleCopy()
      const credential = {
        ...current,
        disabled: input.disabled,
        metadata: input.metadata,
        password: replacement ?? current.password,
        updatedAt: nextUpdate(context.clock, current.updatedAt),
      }
      if (!replacement) return { credential }
      return { credential, sessionsValidAfter: nowMicros(context.clock) }
    },
    entry,
  )
  if (outcome.kind !== 'updated') throw notFound()
  context.events.emit('change', entry)
  return outcome.after
}

/** Removes a credential and ends the user's sessions; answers with its last version. */
export async function deleteCredential(
  context: DomainContext,
  actor: Actor,
  tenantId: string,
  userId: string,
  id: string,
): Promise<Credential> {
  const entry = auditEntry(context, actor, 'credential.delete', tenantId, `${userId}/${id}`)
  const deleted = await context.store.credentials.delete(
    tenantId,
    userId,
    id,
    entry,
    nowMicros(context.clock),
  )
  if (!deleted) throw notFound()
  context.events.emit('change', entry)
  return deleted
}

function passwordExists(): ServiceError {
  return new ServiceError(
    'already_exists',
    'The user has a password credential; change it by POST to its own address, which ends in /credentials/password.',
  )
}

function staleCopy(): ServiceError {
  return new ServiceError(
    'conflict',
    'The stored password has changed since this copy was read, perhaps by a login that upgraded it. ' +
      'GET the credential again and repeat the change on it.',
  )
}
