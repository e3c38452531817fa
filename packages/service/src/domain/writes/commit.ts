import type { Change, Outcome } from '../../store/ports.ts'
import type { AuditEntry, Credential, User } from '../../store/records.ts'
import { entryOf } from './audit.ts'
import { changedFields, changedValues } from './changed-fields.ts'
import type { ServiceScope } from './context.ts'
import { alreadyExists, type ErrorCode, notFound, ServiceError } from './errors.ts'

/** The names of all writes of the service, in the audit log and the `change` event. */
export const writeActions = [
  'tenant.create',
  'tenant.update',
  'tenant.delete',
  'tenant.free_domain',
  'application.create',
  'application.update',
  'application.rotate_secret',
  'application.reseal',
  'application.delete',
  'user.create',
  'user.update',
  'user.verify',
  'user.delete',
  'credential.create',
  'credential.update',
  'credential.upgrade',
  'credential.reset',
  'credential.use',
  'credential.reseal',
  'credential.delete',
  'api_key.create',
  'api_key.revoke',
  'api_key.confirm',
  'operator.invite',
  'operator.accept',
  'operator.update',
  'operator.recover',
  'operator.remove',
  'operator.confirm',
  'signing_key.create',
  'signing_key.reseal',
  'signing_key.delete',
  'connection.create',
  'connection.update',
  'connection.reseal',
  'connection.delete',
  'webhook.create',
  'webhook.update',
  'webhook.rotate_secret',
  'webhook.reseal',
  'webhook.disable',
  'webhook.delete',
  'service.restore',
] as const

/** One of {@link writeActions}. */
export type WriteAction = (typeof writeActions)[number]

/**
 * Performs a write. Rules write to the store only through this function. It audits the write, emits
 * `change` once the write is durable, and throws an error if the store refuses it. A write that
 * changes nothing is neither audited nor emitted.
 *
 * @param write - Calls the store with the audit entry, which the store writes in the same step.
 * @returns The record after the write; after a delete, its last version.
 * @throws ServiceError `not_found` or `already_exists`.
 */
export async function commit<T>(
  scope: ServiceScope,
  action: WriteAction,
  target: string,
  write: (audit: AuditEntry) => Promise<Outcome<T>>,
): Promise<T> {
  const audit = entryOf(scope, action, target)
  const outcome = await write(audit)
  switch (outcome.kind) {
    case 'missing':
      throw notFound()
    case 'duplicate':
      throw alreadyExists(action)
    case 'written':
      // Listeners do not get the values, which are only for the audit log.
      scope.context.events.emit('change', { ...audit, changes: undefined })
      return outcome.record
    case 'unchanged':
      return outcome.record
  }
}

/**
 * Writes many objects in one step, and emits `change` for each written object.
 *
 * @param write - Calls the store, and resolves to the ids of the written objects.
 * @returns The ids of the written objects. The other objects were not written.
 */
export async function commitMany(
  scope: ServiceScope,
  action: WriteAction,
  targets: readonly string[],
  write: (audits: readonly AuditEntry[]) => Promise<readonly string[]>,
): Promise<ReadonlySet<string>> {
  const audits = targets.map((target) => entryOf(scope, action, target))
  const written = new Set(await write(audits))
  for (const audit of audits) {
    if (written.has(audit.target)) scope.context.events.emit('change', audit)
  }
  return written
}

/**
 * Wraps `change` so that the audit entry gets the names of the changed members, and the values of
 * some.
 */
export function auditingFields<T extends object, Beside extends unknown[] = []>(
  audit: AuditEntry,
  change: (current: T, ...beside: Beside) => T,
): (current: T, ...beside: Beside) => T {
  return (last, ...beside) => {
    const next = change(last, ...beside)
    audit.fields = changedFields(last, next)
    audit.changes = changedValues(last, next)
    return next
  }
}

/**
 * Wraps the change of an account so that the changes of its user are audited as in {@link
 * auditingFields}.
 */
export function auditingUser<A extends { readonly user: User }>(
  audit: AuditEntry,
  change: Change<A>,
): Change<A> {
  return (last) => {
    const next = change(last)
    auditingFields(audit, () => next.user)(last.user)
    return next
  }
}

/**
 * Wraps the change of a credential so that the audit entry gets the names of the changed members.
 * Values are left out, because they may be secret.
 */
export function auditingCredential<R extends { credential: Credential }>(
  audit: AuditEntry,
  change: (last: Credential) => R,
): (last: Credential) => R {
  return (last) => {
    const changed = change(last)
    audit.fields = changedFields(last, changed.credential)
    return changed
  }
}

/** The result of `work`, or `undefined` if it throws a `ServiceError` with one of the codes. */
export async function unlessRefused<T>(
  work: Promise<T>,
  ...codes: ErrorCode[]
): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ServiceError && codes.includes(error.code)) return undefined
    throw error
  }
}
