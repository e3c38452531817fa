import type { Listing, Page } from '../store/ports.ts'
import type { Reach, Tenant, TenantSettings } from '../store/records.ts'
import { commit } from './commit.ts'
import { nowMicros, type Scope, type ServiceScope, updated } from './context.ts'
import { found } from './errors.ts'
import { newId } from './ids.ts'
import { canonicalDomain, checkEmail, checkMetadata, checkText } from './rules.ts'

/** What a caller decides about a tenant. */
export type TenantInput = Pick<Tenant, 'name' | 'metadata' | 'settings'>

/** The settings of a tenant of which only the domain is known. */
export const defaultSettings: Omit<TenantSettings, 'domain'> = {
  companyName: '',
  logoImageText: '',
  supportEmail: '',
  allowSocial: false,
  allowHardware: false,
  allowPasswords: true,
  allowTotpApp: false,
  allowTotpEmail: false,
  allowUnverified: false,
  rememberDevice: false,
  rememberDeviceSeconds: 2_592_000,
  rememberLoginSeconds: 1_209_600,
  allowSignups: true,
  developerMode: false,
}

/**
 * Creates a tenant.
 *
 * @throws ServiceError `already_exists` when another tenant has the domain, or a code of bad input.
 */
export async function createTenant(scope: ServiceScope, input: TenantInput): Promise<Tenant> {
  const { clock, store } = scope.context
  const now = nowMicros(clock)
  const id = newId('ten', clock)
  const tenant = { id, createdAt: now, updatedAt: now, ...checkTenant(input) }
  return commit({ ...scope, tenantId: id }, 'tenant.create', id, (audit) =>
    store.tenants.insert(tenant, audit),
  )
}

/** The tenant. */
export async function getTenant({ context, tenantId }: Scope): Promise<Tenant> {
  return found(await context.store.tenants.get(tenantId))
}

/** The tenant with a domain, in lower case. */
export function findTenant({ context }: ServiceScope, domain: string): Promise<Tenant | undefined> {
  return context.store.tenants.findByDomain(domain)
}

/** One page of the tenants that `reach` names. */
export function listTenants(
  { context }: ServiceScope,
  reach: Reach,
  page: Page,
): Promise<Listing<Tenant>> {
  return context.store.tenants.list(reach, page)
}

/** Replaces what a caller decides about a tenant by `input`, all of it. */
export async function updateTenant(scope: Scope, input: TenantInput): Promise<Tenant> {
  const { context, tenantId } = scope
  const checked = checkTenant(input)
  return commit(scope, 'tenant.update', tenantId, (audit) =>
    context.store.tenants.update(tenantId, (last) => updated(context, last, checked), audit),
  )
}

/** Deletes a tenant with all that it holds; answers with its last version. */
export function deleteTenant(scope: Scope): Promise<Tenant> {
  const { context, tenantId } = scope
  return commit(scope, 'tenant.delete', tenantId, (audit) =>
    context.store.tenants.delete(tenantId, audit),
  )
}

function checkTenant(input: TenantInput): TenantInput {
  const { settings } = input
  checkText('invalid_request', '"name"', input.name)
  checkMetadata(input.metadata)
  checkText('invalid_request', '"settings.company_name"', settings.companyName)
  checkText('invalid_request', '"settings.logo_image_text"', settings.logoImageText)
  if (settings.supportEmail !== '') checkEmail('"settings.support_email"', settings.supportEmail)
  return {
    name: input.name,
    metadata: input.metadata,
    settings: { ...settings, domain: canonicalDomain(settings.domain) },
  }
}
