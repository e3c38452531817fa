import type { Account, CredentialName } from '../../store/ports.ts'
import { commit, unlessRefused } from '../writes/commit.ts'
import type { DomainContext, Scope } from '../writes/context.ts'
import { legacyPurpose } from '../writes/vault.ts'

/** The maximum number of secrets that one query reads. */
const BATCH = 200

/** Seals the keys of legacy passwords of all tenants under the newest master key. */
export async function resealLegacyPasswords(
  context: DomainContext,
  actor: Scope['actor'],
  isClosed: () => boolean,
): Promise<void> {
  const keyId = context.vault.newestId()
  for (let after: Omit<CredentialName, 'id'> | undefined; !isClosed(); ) {
    const batch: Omit<CredentialName, 'id'>[] = await context.store.legacyPasswords.listSealed(
      keyId,
      after,
      BATCH,
    )
    for (const { tenantId, userId } of batch) await reseal({ context, actor, tenantId }, userId)
    after = batch.at(-1)
    if (!after) return
  }
}

async function reseal(scope: Scope, userId: string): Promise<void> {
  const { context, tenantId } = scope
  const change = (account: Account): Account => {
    const { legacyPassword } = account
    if (legacyPassword?.sealedKey === undefined) return account
    const sealedKey = context.vault.reseal(legacyPurpose(userId), legacyPassword.sealedKey)
    if (sealedKey === undefined) return account
    return { ...account, legacyPassword: { ...legacyPassword, sealedKey } }
  }
  const done = commit(scope, 'credential.reseal', `${userId}/legacy_password`, (audit) =>
    context.store.users.updateAccount(tenantId, userId, change, audit, 'legacy_password'),
  )
  await unlessRefused(done, 'not_found')
}
