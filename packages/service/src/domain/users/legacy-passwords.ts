import type { Account } from '../../store/ports.ts'
import type { Credential, LegacyPassword, PasswordCredential, User } from '../../store/records.ts'
import { commit, unlessRefused } from '../writes/commit.ts'
import type { DomainContext, Scope } from '../writes/context.ts'
import { found } from '../writes/errors.ts'
import { legacyPurpose } from '../writes/vault.ts'
import { type ImportedLegacyPassword, readLegacy } from './legacy-import.ts'
import {
  matchesVerifier,
  memoryOf,
  missingWork,
  type Verifier,
  workKindOf,
  workKinds,
  workOf,
} from './legacy-verifier.ts'

/**
 * Parses the hash of another system, and returns it as it is stored for the user, with a sealed
 * key.
 *
 * @throws ServiceError `unsupported_algorithm` or `invalid_hash`.
 */
export function importLegacyPassword(
  { vault }: Pick<DomainContext, 'vault'>,
  { id }: Pick<User, 'id'>,
  imported: ImportedLegacyPassword,
): LegacyPassword {
  const { verifier, key } = readLegacy(imported)
  return {
    scheme: imported.scheme,
    verifier: JSON.stringify(verifier),
    sealedKey: key === undefined ? undefined : vault.seal(legacyPurpose(id), key),
    kind: workKindOf(verifier),
    work: workOf(verifier),
  }
}

/**
 * The legacy password of a user. For an unknown user (`undefined`), the same query runs, so that
 * the time is the same.
 */
export function findLegacyPassword(
  { context, tenantId }: Pick<Scope, 'context' | 'tenantId'>,
  userId: string | undefined,
): Promise<LegacyPassword | undefined> {
  return context.store.legacyPasswords.get(tenantId, userId ?? 'nobody')
}

/**
 * Adds a placeholder password to the credentials of a user who has a legacy password, because both
 * allow the same login.
 */
export async function withLegacyPassword(
  scope: Pick<Scope, 'context' | 'tenantId'>,
  user: User,
  credentials: readonly Credential[],
): Promise<readonly Credential[]> {
  // A password replaces the legacy one, so no user has both.
  if (credentials.some(({ kind }) => kind === 'password')) return credentials
  if (!(await findLegacyPassword(scope, user.id))) return credentials
  const { id: userId, tenantId, createdAt } = user
  const standIn: PasswordCredential = {
    ...{ kind: 'password', id: 'password', tenantId, userId, createdAt, updatedAt: createdAt },
    ...{ metadata: {}, disabled: false, rev: 0, state: {} },
    password: { alg: 'bcrypt', hash: '', cost: 0 },
  }
  return [...credentials, standIn]
}

/**
 * The number of a user's credentials. A legacy password counts as a password.
 *
 * @throws ServiceError `not_found` for an unknown user.
 */
export async function countWaysIn(scope: Scope, userId: string): Promise<number> {
  const [listing, legacy] = await Promise.all([
    scope.context.store.credentials.list(scope.tenantId, userId, { after: undefined, limit: 1 }),
    findLegacyPassword(scope, userId),
  ])
  return found(listing).total + (legacy ? 1 : 0)
}

/** Whether a password matches the legacy password of a user. */
export function isLegacyPassword(
  { context, tenantId }: Scope,
  userId: string,
  { verifier, sealedKey }: LegacyPassword,
  password: string,
): Promise<boolean> {
  const key =
    sealedKey === undefined ? undefined : context.vault.open(legacyPurpose(userId), sealedKey)
  const own = parse(verifier)
  const matches = () => matchesVerifier(own, password, key)
  return context.passwords.run(matches, tenantId, memoryOf(own))
}

/**
 * Does the work of the most expensive legacy password of each kind in the tenant, so that response
 * times do not reveal which users have a legacy password.
 *
 * @param own - The legacy password that was just verified. Its work is subtracted.
 */
export async function makeUpLegacy(
  { context, tenantId }: Scope,
  own: LegacyPassword | undefined,
  password: string,
): Promise<void> {
  for (const dearest of await context.store.legacyPasswords.dearest(tenantId, workKinds)) {
    const full = parse(dearest.verifier)
    const missing = own?.kind === dearest.kind ? missingWork(parse(own.verifier), full) : [full]
    for (const verifier of missing) {
      const verify = () => matchesVerifier(verifier, password, undefined)
      await context.passwords.run(verify, tenantId, memoryOf(verifier))
    }
  }
}

/**
 * Replaces a legacy password by a password credential, unless another request has replaced it.
 *
 * @param replace - Returns the account with the new credential. Returns the same account to change
 *   nothing.
 * @returns The account after the call; `undefined` if there is no such user.
 */
export function replaceLegacyPassword(
  scope: Scope,
  userId: string,
  known: LegacyPassword,
  replace: (account: Account) => Account,
): Promise<Account | undefined> {
  const { context, tenantId } = scope
  const written = commit(scope, 'credential.upgrade', `${userId}/password`, (audit) =>
    context.store.users.updateAccount(
      tenantId,
      userId,
      (account) => {
        if (account.legacyPassword?.verifier !== known.verifier) return account
        const replaced = replace(account)
        return replaced === account ? account : { ...replaced, legacyPassword: null }
      },
      audit,
      'legacy_password',
    ),
  )
  return unlessRefused(written, 'not_found')
}

function parse(verifier: string): Verifier {
  return JSON.parse(verifier)
}
