import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { entryOf } from '../../../src/domain/writes/audit.ts'
import { nowMicros, type Scope } from '../../../src/domain/writes/context.ts'

let jwk: string | undefined

/**
 * Gives the tenant a signing key, as its first login would; but all issuers of a test file have the
 * same, because to make one takes longer than most tests.
 */
export async function addSigningKey(scope: Scope): Promise<void> {
  const { context, tenantId } = scope
  jwk ??= JSON.stringify(
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  )
  const id = randomUUID()
  const sealedJwk = context.vault.seal(`signing-key:${tenantId}:${id}`, jwk)
  const key = { id, tenantId, createdAt: nowMicros(context.clock), sealedJwk }
  await context.store.signingKeys.insert(key, entryOf(scope, 'signing_key.create', id))
}
