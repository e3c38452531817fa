import type { Tenant, TenantSettings } from '../store/records.ts'
import { type Actor, auditEntry, type DomainContext, nextUpdate, nowMicros } from './context.ts'
import { notFound, ServiceError } from './errors.ts'
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
export async function createTenant(
  context: DomainContext,
  actor: Actor,
  input: TenantInput,
): Promise<Tenant> {
  const now = nowMicros(context.clock)
  const id = newId('ten', context.clock)
  const tenant = { id, createdAt: now, updatedAt: now, ...checkTenant(input) }
  const entry = auditEntry(context, actor, 'tenant.create', id, id)
  const outcome = await context.store.tenants.insert(tenant, entry)
  if (outcome !== 'inserted') throw domainTaken()
  context.events.emit('change', entry)
  return tenant
}

/** Replaces what a caller decides about a tenant by `input`, all of it. */
export async function updateTenant(
  context: DomainContext,
  actor: Actor,
  id: string,
  input: TenantInput,
): Promise<Tenant> {
  const checked = checkTenant(input)
  const entry = auditEntry(context, actor, 'tenant.update', id, id)
  const outcome = await context.store.tenants.update(
    id,
    (current) => ({
      ...current,
      ...checked,
      updatedAt: nextUpdate(context.clock, current.updatedAt),
    }),
    entry,
  )
  switch (outcome.kind) {
    case 'missing':
      throw notFound()
    case 'duplicate':
      throw domainTaken()
    case 'updated':
      context.events.emit('change', entry)
      return outcome.after
  }
}

/** Deletes a tenant with all that it holds; answers with its last version. */
export async function deleteTenant(
  context: DomainContext,
  actor: Actor,
  id: string,
): Promise<Tenant> {
  const entry = auditEntry(context, actor, 'tenant.delete', id, id)
  const deleted = await context.store.tenants.delete(id, entry)
  if (!deleted) throw notFound()
  context.events.emit('change', entry)
  return deleted
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

function domainTaken(): ServiceError {
  return new ServiceError('already_exists', 'Another tenant has this "settings.domain".')
}
