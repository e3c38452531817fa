import { tenantSettings } from '../../resources/tenant-settings.ts'
import type { Listing, Page } from '../../store/ports.ts'
import type { Application, Micros, Reach, Tenant, TenantSettings } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import type { Found, SearchPage } from '../../store/user-search.ts'
import { auditingFields, commit } from '../writes/commit.ts'
import {
  type DomainContext,
  nowMicros,
  refuseStale,
  type Scope,
  type ServiceScope,
  updated,
} from '../writes/context.ts'
import { found, notFound, ServiceError } from '../writes/errors.ts'
import { newId } from '../writes/ids.ts'
import { reason } from '../writes/reasons/index.ts'
import { checkEmail, checkMetadata, checkText } from '../writes/rules.ts'
import { endedHosts, withHostBlocked } from './client-documents.ts'
import { canonicalDomain, checkDomain, DOMAIN_HOLD_MICROS } from './domain-names.ts'
import { verifyDomain } from './domain-verification.ts'
import { allowsSecondSteps, isDay, SECOND_STEP_KEY } from './second-step-rule.ts'
import { checkNewFeatures } from './tenant-features.ts'

/** The fields of a tenant that a caller sets. */
export type TenantInput = Pick<Tenant, 'name' | 'metadata' | 'settings'>

/** The default settings of a new tenant. The domain has no default. */
export const defaultSettings = Object.fromEntries(
  tenantSettings
    .map(({ member, initial }) => [member, initial])
    .filter(([name]) => name !== 'domain'),
) as Omit<TenantSettings, 'domain'>

/**
 * Creates a tenant.
 *
 * @throws ServiceError `already_exists` when another tenant has the domain, or the code of the rule
 *   that the input breaks, such as `invalid_metadata`.
 */
export async function createTenant(scope: ServiceScope, input: TenantInput): Promise<Tenant> {
  const { clock, store } = scope.context
  const now = nowMicros(clock)
  const id = newId('ten', clock)
  const tenant = { id, createdAt: now, updatedAt: now, ...checkTenant(input) }
  checkNewFeatures(tenant.metadata, undefined)
  checkSecondStep(tenant, undefined)
  // Only operators create tenants, and they may always use a loopback domain.
  checkDomain(tenant.settings.domain, { ...scope.context.domains, allowLoopback: true })
  return commit({ ...scope, tenantId: id }, 'tenant.create', id, (audit) =>
    store.tenants.insert(tenant, audit),
  )
}

/**
 * Reads a tenant; `undefined` if no tenant has this id. The system tenant exists only with a
 * console, and has the console's host as its domain.
 */
export async function lookUpTenant(
  { store, domains: { consoleHost } }: Pick<DomainContext, 'store' | 'domains'>,
  id: string,
): Promise<Tenant | undefined> {
  if (id !== SYSTEM_TENANT_ID) return store.tenants.get(id)
  const tenant = consoleHost === undefined ? undefined : await store.tenants.get(id)
  return tenant && { ...tenant, settings: { ...tenant.settings, domain: consoleHost as string } }
}

/**
 * The tenant whose issuer is at a host, in lower case. At the console's host, it is the system
 * tenant.
 */
export function tenantAt(context: DomainContext, host: string): Promise<Tenant | undefined> {
  if (host === context.domains.consoleHost) return lookUpTenant(context, SYSTEM_TENANT_ID)
  return findTenant({ context }, host)
}

/**
 * Reads a tenant.
 *
 * @throws ServiceError `not_found` if no tenant has this id.
 */
export async function getTenant({ context, tenantId }: Scope): Promise<Tenant> {
  return found(await lookUpTenant(context, tenantId))
}

/** The tenant with a domain, in lower case. The system tenant is never returned. */
export async function findTenant(
  { context }: Pick<ServiceScope, 'context'>,
  domain: string,
): Promise<Tenant | undefined> {
  const tenant = await context.store.tenants.findByDomain(domain)
  return tenant?.id === SYSTEM_TENANT_ID ? undefined : tenant
}

/** One page of the tenants that `reach` includes. */
export function listTenants(
  { context }: ServiceScope,
  reach: Reach,
  page: Page,
): Promise<Listing<Tenant>> {
  return context.store.tenants.list(reach, page)
}

/** Finds tenants that `reach` includes by the beginning of their domain or name. */
export function searchTenants(
  { context }: ServiceScope,
  reach: Reach,
  search: string,
  page: SearchPage,
): Promise<Found<Tenant>> {
  return context.store.tenants.search(reach, search, page)
}

/**
 * Makes a function that checks updates of a tenant without storing them. The function returns the
 * tenant after the update, and makes no DNS request. The applications are read once, for any number
 * of updates.
 *
 * @returns A function that throws a ServiceError as {@link updateTenant} does.
 */
export async function tenantJudge(
  { context }: ServiceScope,
  last: Tenant,
): Promise<(input: TenantInput) => Tenant> {
  const applications: Application[] = []
  for (let after: string | undefined, more = true; more; ) {
    const page = await context.store.applications.list(last.id, { after, limit: 100 })
    applications.push(...(page?.items ?? []))
    after = page?.items.at(-1)?.id
    more = page?.more ?? false
  }
  return (input) => change(context, last, checkTenant(input), applications)
}

/**
 * Replaces all members of a tenant that a caller can set by `input`.
 *
 * @param readAt - The `updatedAt` of the version that the caller has edited. Default: any version.
 * @throws ServiceError `not_found`, `conflict` when the tenant was changed after `readAt`,
 *   `already_exists` when another tenant has the domain, or the code of the rule that the input
 *   breaks.
 */
export async function updateTenant(
  scope: Scope,
  input: TenantInput,
  readAt?: Micros,
): Promise<Tenant> {
  const { context, tenantId } = scope
  refuseSystemTenant(tenantId)
  const checked = checkTenant(input)
  await verifyNewDomain(scope, checked.settings.domain)
  function replace(last: Tenant, applications: readonly Application[]): Tenant {
    refuseStale(last, readAt)
    return change(context, last, checked, applications)
  }
  return commit(scope, 'tenant.update', tenantId, (audit) =>
    context.store.tenants.update(tenantId, auditingFields(audit, replace), audit, {
      heldUntil: heldUntil(context),
      applicationsWith: SECOND_STEP_KEY,
    }),
  )
}

/**
 * Blocks or unblocks the clients of a host, without other changes of the tenant. Blocking ends the
 * grants to these clients; unblocking does not restore them.
 *
 * @throws ServiceError as `withHostBlocked` does.
 */
export async function setHostBlocked(
  scope: Scope,
  host: string,
  isBlocked: boolean,
): Promise<Tenant> {
  const { context, tenantId } = scope
  refuseSystemTenant(tenantId)
  function block(last: Tenant): Tenant {
    const metadata = withHostBlocked(last.metadata, host, isBlocked)
    if (metadata === last.metadata) return last
    checkMetadata(metadata)
    const { name, settings } = last
    // The settings do not change, so no application can conflict with them.
    return change(context, last, { name, metadata, settings }, [])
  }
  return commit(scope, 'tenant.update', tenantId, (audit) =>
    context.store.tenants.update(tenantId, auditingFields(audit, block), audit, {
      heldUntil: heldUntil(context),
    }),
  )
}

/**
 * The tenant `last` with the members of `checked`. @throws ServiceError if a rule for changes
 * refuses it.
 */
function change(
  context: DomainContext,
  last: Tenant,
  checked: TenantInput,
  applications: readonly Application[],
): Tenant {
  const { domain } = checked.settings
  checkNewFeatures(checked.metadata, last.metadata)
  checkSecondStep(checked, last)
  checkRequiredSecondStep(applications, checked, last)
  if (domain !== last.settings.domain) checkDomain(domain, context.domains)
  const times = { before: last.metadata, after: checked.metadata, now: nowMicros(context.clock) }
  const ended = endedHosts(last.endedHosts, times)
  return updated(context, last, { ...checked, ...(ended && { endedHosts: ended }) })
}

/**
 * Checks that users can have a second step if the tenant requires one. A tenant that already breaks
 * this rule may keep its settings.
 *
 * @throws ServiceError `invalid_metadata`.
 */
function checkSecondStep(input: TenantInput, stored: TenantInput | undefined): void {
  const breaks = ({ metadata, settings }: TenantInput) =>
    metadata[SECOND_STEP_KEY] !== undefined && !allowsSecondSteps(settings)
  if (!breaks(input) || (stored && breaks(stored))) return
  throw new ServiceError(
    'invalid_metadata',
    reason('second_step_not_allowed', { key: SECOND_STEP_KEY }),
  )
}

/**
 * Checks that the last kind of second step is not switched off while an application requires a
 * second step. A tenant that is stored without any kind may stay as it is.
 *
 * @throws ServiceError `invalid_request`.
 */
function checkRequiredSecondStep(
  applications: readonly Application[],
  { settings }: TenantInput,
  stored: Tenant,
): void {
  if (allowsSecondSteps(settings) || !allowsSecondSteps(stored.settings)) return
  // The metadata value is the day from which the application requires a second step.
  const requiring = applications.find(({ metadata }) => isDay(metadata[SECOND_STEP_KEY]))
  if (!requiring) return
  const { id, name } = requiring
  throw new ServiceError(
    'invalid_request',
    reason('second_step_of_application', { key: SECOND_STEP_KEY, name, id }),
  )
}

/** Deletes a tenant with all its data, and returns the tenant's last version. */
export async function deleteTenant(scope: Scope): Promise<Tenant> {
  const { context, tenantId } = scope
  refuseSystemTenant(tenantId)
  return commit(scope, 'tenant.delete', tenantId, (audit) =>
    context.store.tenants.delete(tenantId, audit, heldUntil(context)),
  )
}

/**
 * Frees a domain that is reserved for the tenant that gave it up.
 *
 * @throws ServiceError `not_found` when the domain is not reserved.
 */
export async function freeDomain(scope: ServiceScope, domain: string): Promise<void> {
  const canonical = canonicalDomain(domain)
  await commit(scope, 'tenant.free_domain', canonical, (audit) =>
    scope.context.store.tenants.freeDomain(canonical, audit),
  )
}

function refuseSystemTenant(tenantId: string): void {
  if (tenantId === SYSTEM_TENANT_ID) throw notFound()
}

/**
 * Checks the new domain of an update, also in the DNS. This happens before the transaction, which
 * must not wait for the network.
 */
async function verifyNewDomain({ context, tenantId }: Scope, domain: string): Promise<void> {
  const current = await context.store.tenants.get(tenantId)
  if (!current || current.settings.domain === domain) return
  checkDomain(domain, context.domains)
  await verifyDomain(tenantId, domain, context.domains)
}

/** The time until which a domain that the tenant gives up now stays reserved for the tenant. */
function heldUntil({ clock }: DomainContext): Micros {
  return nowMicros(clock) + DOMAIN_HOLD_MICROS
}

/**
 * Checks each member of a tenant by itself, and returns the members with the domain in canonical
 * form.
 */
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
