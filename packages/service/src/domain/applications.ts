import { randomBytes } from 'node:crypto'
import type { Application } from '../store/records.ts'
import { type Actor, auditEntry, type DomainContext, nextUpdate, nowMicros } from './context.ts'
import { notFound } from './errors.ts'
import { newId } from './ids.ts'
import { checkMetadata, checkText, checkUrl, checkUrls } from './rules.ts'

/** What a caller decides about an application. */
export type ApplicationInput = Pick<
  Application,
  'name' | 'metadata' | 'loginUrl' | 'logoutUrls' | 'redirectUrls'
>

/** Creates an application with a new client secret. */
export async function createApplication(
  context: DomainContext,
  actor: Actor,
  tenantId: string,
  input: ApplicationInput,
): Promise<Application> {
  await checkApplication(context, tenantId, input)
  const now = nowMicros(context.clock)
  const id = newId('app', context.clock)
  const application: Application = {
    id,
    tenantId,
    createdAt: now,
    updatedAt: now,
    ...input,
    sealedSecret: context.vault.seal(secretPurpose(id), newSecret()),
  }
  const entry = auditEntry(context, actor, 'application.create', tenantId, id)
  const outcome = await context.store.applications.insert(application, entry)
  if (outcome !== 'inserted') throw notFound()
  context.events.emit('change', entry)
  return application
}

/** Replaces what a caller decides about an application by `input`, all of it. The secret stays. */
export async function updateApplication(
  context: DomainContext,
  actor: Actor,
  tenantId: string,
  id: string,
  input: ApplicationInput,
): Promise<Application> {
  await checkApplication(context, tenantId, input)
  return change(context, actor, 'application.update', tenantId, id, () => input)
}

/** Replaces the client secret; the old one stops at once. */
export async function rotateApplicationSecret(
  context: DomainContext,
  actor: Actor,
  tenantId: string,
  id: string,
): Promise<Application> {
  const sealedSecret = context.vault.seal(secretPurpose(id), newSecret())
  return change(context, actor, 'application.rotate_secret', tenantId, id, () => ({ sealedSecret }))
}

/** Deletes an application; answers with its last version. */
export async function deleteApplication(
  context: DomainContext,
  actor: Actor,
  tenantId: string,
  id: string,
): Promise<Application> {
  const entry = auditEntry(context, actor, 'application.delete', tenantId, id)
  const deleted = await context.store.applications.delete(tenantId, id, entry)
  if (!deleted) throw notFound()
  context.events.emit('change', entry)
  return deleted
}

/** The client secret in clear text. */
export function openSecret(context: DomainContext, application: Application): string {
  return context.vault.open(secretPurpose(application.id), application.sealedSecret)
}

async function change(
  context: DomainContext,
  actor: Actor,
  action: string,
  tenantId: string,
  id: string,
  changes: () => Partial<Application>,
): Promise<Application> {
  const entry = auditEntry(context, actor, action, tenantId, id)
  const outcome = await context.store.applications.update(
    tenantId,
    id,
    (current) => ({
      ...current,
      ...changes(),
      updatedAt: nextUpdate(context.clock, current.updatedAt),
    }),
    entry,
  )
  if (outcome.kind !== 'updated') throw notFound()
  context.events.emit('change', entry)
  return outcome.after
}

/** The rules for URLs depend on the tenant, so they are checked against it. */
async function checkApplication(
  context: DomainContext,
  tenantId: string,
  input: ApplicationInput,
): Promise<void> {
  const tenant = await context.store.tenants.get(tenantId)
  if (!tenant) throw notFound()
  const { developerMode } = tenant.settings
  checkText('invalid_request', '"name"', input.name)
  checkMetadata(input.metadata)
  if (input.loginUrl !== '') checkUrl('"login_url"', input.loginUrl, developerMode)
  checkUrls('logout_urls', input.logoutUrls, developerMode)
  checkUrls('redirect_urls', input.redirectUrls, developerMode)
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

function secretPurpose(id: string): string {
  return `application-secret:${id}`
}
