import type { Listing, Page } from '../../store/ports.ts'
import type {
  Credential,
  Metadata,
  Micros,
  PasswordCredential,
  StoredPassword,
  User,
} from '../../store/records.ts'
import { LENGTH_KEY, passwordPolicy } from '../ways/password-policy.ts'
import { auditingCredential, commit } from '../writes/commit.ts'
import { type DomainContext, nowMicros, type Scope, updated } from '../writes/context.ts'
import { alreadyExists, found, ServiceError } from '../writes/errors.ts'
import { reason } from '../writes/reasons/index.ts'
import { checkMetadata } from '../writes/rules.ts'
import { judgeGivenPassword } from './chosen-password.ts'
import { findPassword, importPassword, isStalePassword, isStoredPassword } from './passwords.ts'
import { getUser } from './users.ts'

/** The fields of every credential that a caller sets. */
export interface CredentialInput {
  disabled: boolean
  metadata: Metadata
}

/**
 * The fields of a password credential that a caller sets. `alg` and `hash` are as the caller sent
 * them.
 */
export interface PasswordInput extends CredentialInput {
  alg: string
  hash: string
}

/**
 * Creates the password credential of a user.
 *
 * @throws ServiceError `already_exists` if the user has a password, because a create never
 *   overwrites one.
 */
export async function createCredential(
  scope: Scope,
  userId: string,
  input: PasswordInput,
): Promise<Credential> {
  checkMetadata(input.metadata)
  const { context, tenantId } = scope
  const { credentials } = context.store
  // Hashing is expensive, so the user and the credential are checked first.
  const user = await getUser(scope, userId)
  if (await credentials.get(tenantId, userId, 'password')) {
    throw alreadyExists('credential.create')
  }
  const password = await givenPassword(scope, input)
  const credential = passwordCredential(context, user, password, input)
  return commit(scope, 'credential.create', `${userId}/password`, (audit) =>
    credentials.insert(credential, audit, 0),
  )
}

/**
 * Converts the password that a caller sets for a user. A plain password is checked by the tenant's
 * policy; a hash cannot be. Imports skip this check, because users keep their passwords.
 *
 * @throws ServiceError `password_policy`, or as {@link importPassword} does.
 */
async function givenPassword(
  scope: Scope,
  { alg, hash }: Pick<PasswordInput, 'alg' | 'hash'>,
): Promise<StoredPassword> {
  if (alg === 'plain') await checkGiven(scope, hash)
  return importPassword(scope, alg, hash)
}

async function checkGiven({ context, tenantId }: Scope, password: string): Promise<void> {
  const tenant = found(await context.store.tenants.get(tenantId))
  const problem = await judgeGivenPassword(context, password, tenant)
  if (problem === 'short') {
    const characters = [...password.normalize('NFC')].length
    const { least } = passwordPolicy(tenant)
    const values = { characters, least, key: LENGTH_KEY }
    throw new ServiceError('password_policy', reason('password_under_policy', values))
  }
  if (problem) throw new ServiceError('password_policy', reason('password_leaked'))
}

/** The credential of a user with this id. @throws ServiceError `not_found`. */
export async function getCredential(
  { context, tenantId }: Scope,
  userId: string,
  id: string,
): Promise<Credential> {
  return found(await context.store.credentials.get(tenantId, userId, id))
}

/**
 * One page of the credentials of a user.
 *
 * @throws ServiceError `not_found` for an unknown user, and `invalid_request` if the user has no
 *   credential `after`. The list is in the order of creation, and most ids say nothing about it, so
 *   the place of a deleted credential is unknown.
 */
export async function listCredentials(
  { context, tenantId }: Scope,
  userId: string,
  page: Page,
): Promise<Listing<Credential>> {
  const listing = found(await context.store.credentials.list(tenantId, userId, page))
  if (page.after === undefined || listing.items.length > 0) return listing
  if (await context.store.credentials.get(tenantId, userId, page.after)) return listing
  throw new ServiceError('invalid_request', reason('query_after_gone'))
}

/** Makes a password credential of `user`, without storing it. */
export function passwordCredential(
  context: DomainContext,
  user: User,
  password: StoredPassword,
  input: CredentialInput = { disabled: false, metadata: {} },
): PasswordCredential {
  const now = nowMicros(context.clock)
  return {
    kind: 'password',
    id: 'password',
    tenantId: user.tenantId,
    userId: user.id,
    createdAt: now,
    updatedAt: now,
    metadata: input.metadata,
    disabled: input.disabled,
    rev: 1,
    password,
    state: {},
  }
}

/**
 * Replaces all members of a credential that a caller can set. For passwords, {@link updatePassword}
 * is used.
 */
export function updateCredential(
  scope: Scope,
  userId: string,
  id: string,
  { disabled, metadata }: CredentialInput,
): Promise<Credential> {
  checkMetadata(metadata)
  const { context, tenantId } = scope
  const change = (last: Credential) => ({
    credential: updated(context, last, { disabled, metadata }),
  })
  return commit(scope, 'credential.update', `${userId}/${id}`, (audit) =>
    context.store.credentials.update(
      tenantId,
      userId,
      id,
      auditingCredential(audit, change),
      audit,
    ),
  )
}

/**
 * Replaces all members of the password credential that a caller can set.
 *
 * If `alg` and `hash` equal the stored ones, the password stays unchanged. Another pair is handled
 * as in a create, and ends the user's sessions.
 *
 * @throws ServiceError `conflict` if `input` is a copy from before a login upgraded the hash.
 */
export async function updatePassword(
  scope: Scope,
  userId: string,
  input: PasswordInput,
): Promise<Credential> {
  checkMetadata(input.metadata)
  const { context, tenantId } = scope
  const { alg, hash, disabled, metadata } = input
  const stored = found(await findPassword(scope, userId))
  const isUnchanged = isStoredPassword(stored.password, alg, hash)
  if (!isUnchanged && isStalePassword(stored, alg, hash)) throw staleCopy()
  const replacement = isUnchanged ? undefined : await givenPassword(scope, input)

  function change(last: Credential) {
    if (last.kind !== 'password') throw staleCopy()
    if (!replacement && !isStoredPassword(last.password, alg, hash)) throw staleCopy()
    const credential = updated(context, last, { disabled, metadata })
    if (!replacement) return { credential }
    return {
      credential: { ...credential, password: replacement, state: {} },
      sessionsValidAfter: nowMicros(context.clock),
    }
  }
  return commit(scope, 'credential.update', `${userId}/password`, (audit) =>
    context.store.credentials.update(
      tenantId,
      userId,
      'password',
      auditingCredential(audit, change),
      audit,
    ),
  )
}

/**
 * Removes a credential, and returns its last version.
 *
 * @param at - The time before which sessions of the user are no longer valid. Default: now.
 */
export function deleteCredential(
  scope: Scope,
  userId: string,
  id: string,
  at: Micros = nowMicros(scope.context.clock),
): Promise<Credential> {
  const { context, tenantId } = scope
  return commit(scope, 'credential.delete', `${userId}/${id}`, (audit) =>
    context.store.credentials.delete(tenantId, userId, id, audit, at),
  )
}

function staleCopy(): ServiceError {
  return new ServiceError('conflict', reason('password_changed_meanwhile'))
}
