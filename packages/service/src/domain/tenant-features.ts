import type { Tenant } from '../store/records.ts'

/** Whether users may delete their own accounts: the tenant says so in its metadata. */
export function isDeletionAllowed({ metadata }: Pick<Tenant, 'metadata'>): boolean {
  return metadata.latchkey_account_deletion === 'true'
}
