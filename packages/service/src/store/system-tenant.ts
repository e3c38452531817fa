/**
 * The tenant whose users are the operators of the management console. Its id sorts before those of all
 * other tenants, so that lists begin behind it; no list, counter or API key reaches it.
 */
export const SYSTEM_TENANT_ID = 'ten_00000000000000000000000000'

/** The id after which a page of tenants begins: that of the system tenant at the earliest. */
export function behindSystemTenant(after: string | undefined): string {
  return after === undefined || after < SYSTEM_TENANT_ID ? SYSTEM_TENANT_ID : after
}
