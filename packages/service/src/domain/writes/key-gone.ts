import type { DomainContext } from './context.ts'
import { UnknownMasterKeyError } from './vault.ts'

/**
 * Whether an error of the vault says that a master key was removed for good. A key that is still in
 * use is missing in this process only, so another process can go on.
 */
export async function isKeyGone({ store }: DomainContext, error: unknown): Promise<boolean> {
  if (!(error instanceof UnknownMasterKeyError)) return false
  const inUse = await store.sealingKeys?.list()
  return !inUse?.includes(error.keyId)
}
