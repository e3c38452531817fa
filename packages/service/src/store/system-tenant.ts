/**
 * The id of the system tenant, whose users are the operators of the management console. Its id
 * sorts before the ids of all other tenants, and lists begin after it. No list, counter or API key
 * includes the system tenant.
 */
export const SYSTEM_TENANT_ID = 'ten_00000000000000000000000000'

/**
 * The id after which a page of tenants begins: `after`, but at least the id of the system tenant.
 */
export function behindSystemTenant(after: string | undefined): string {
  return after === undefined || after < SYSTEM_TENANT_ID ? SYSTEM_TENANT_ID : after
}
