import type { HardwareCredential, User } from '../../store/records.ts'
import { auditingCredential, commit, unlessRefused } from '../writes/commit.ts'
import { nowMicros, type Scope, updated } from '../writes/context.ts'
import { keyCredentialId } from '../writes/ids.ts'
import { newRecord, use } from './factors.ts'
import { hasAdvanced, type KeyFacts, type KeyUse } from './webauthn.ts'

/** The maximum length of a name, in characters. Longer names are cut. */
const MAX_NAME = 60

/** Makes the credential of a passkey or security key, without storing it. */
export function keyCredential(
  scope: Scope,
  user: User,
  { counter, isBackedUp, ...facts }: KeyFacts,
  name: string,
): HardwareCredential {
  const record = newRecord(scope, user, keyCredentialId(facts.keyId))
  const state = { counter, isBackedUp }
  return { ...record, kind: 'hardware', name: tidyName(name), ...facts, state }
}

/**
 * Finds a user's passkey or security key by the authenticator's credential id; `undefined` if the
 * user has no such credential.
 */
export async function findKey(
  { context, tenantId }: Scope,
  userId: string,
  keyId: string,
): Promise<HardwareCredential | undefined> {
  const { credentials } = context.store
  const found = await credentials.get(tenantId, userId, keyCredentialId(keyId))
  return found?.kind === 'hardware' && found.keyId === keyId ? found : undefined
}

/**
 * Stores the use of a key. Resolves to `false` if the key was disabled or removed meanwhile. Also
 * `false` if a later use was stored already, because a copy of the key may exist.
 *
 * @see Web Authentication Level 3 §7.2, step 22
 */
export function noteKeyProof(
  scope: Scope,
  { userId, id }: HardwareCredential,
  { counter, isBackedUp }: KeyUse,
): Promise<boolean> {
  const usedAt = nowMicros(scope.context.clock)
  return use(scope, userId, id, (last) => {
    if (last.kind !== 'hardware' || !hasAdvanced(last.state.counter, counter)) return undefined
    return { ...last, state: { counter, isBackedUp, usedAt } }
  })
}

/** Renames a key. Does nothing if the key was removed. */
export async function renameKey(
  scope: Scope,
  userId: string,
  id: string,
  name: string,
): Promise<void> {
  const { context, tenantId } = scope
  const renamed = commit(scope, 'credential.update', `${userId}/${id}`, (audit) =>
    context.store.credentials.update(
      tenantId,
      userId,
      id,
      auditingCredential(audit, (last) => ({
        credential:
          last.kind === 'hardware' ? updated(context, last, { name: tidyName(name) }) : last,
      })),
      audit,
    ),
  )
  await unlessRefused(renamed, 'not_found')
}

/** A name without control and direction characters, cut to {@link MAX_NAME}. */
function tidyName(name: string): string {
  const visible = name.replace(/[\p{Cc}\p{Bidi_Control}\s]+/gu, ' ').trim()
  return [...visible].slice(0, MAX_NAME).join('').trim()
}
