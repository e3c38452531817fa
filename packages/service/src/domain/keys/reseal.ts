import type { CredentialName, Page } from '../../store/ports.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { listApplications, resealApplication } from '../applications/applications.ts'
import { resealConnections } from '../connections/connections.ts'
import { resealFactor } from '../factors/factors.ts'
import { listTenants } from '../tenants/tenants.ts'
import { unlessRefused } from '../writes/commit.ts'
import type { DomainContext, Scope } from '../writes/context.ts'
import { resealLegacyPasswords } from './reseal-legacy.ts'
import { resealSigningKeys } from './signing-keys.ts'

const PAGE: Page = { after: undefined, limit: 100 }

/** The maximum number of secrets that one query reads. */
const BATCH = 200

/**
 * Seals every stored secret of all tenants under the newest master key.
 *
 * @param isClosed - Whether to stop between two tenants or two batches of users. Default: never.
 */
export async function resealSecrets(
  context: DomainContext,
  isClosed: () => boolean = () => false,
): Promise<void> {
  const actor = { name: 'service' }
  const tenants = (page: Page) => listTenants({ context, actor }, 'all', page)
  await resealTenant({ context, actor, tenantId: SYSTEM_TENANT_ID })
  for await (const { id: tenantId } of all(tenants)) {
    if (isClosed()) return
    await resealTenant({ context, actor, tenantId })
  }
  await resealUsers(context, actor, isClosed)
  await resealLegacyPasswords(context, actor, isClosed)
}

async function resealTenant(scope: Scope): Promise<void> {
  await resealSigningKeys(scope)
  await resealConnections(scope)
  await unlessRefused(resealApplications(scope), 'not_found')
}

/**
 * Seals the secrets of all users' factors under the newest master key. Secrets that are already
 * sealed under that key are not read.
 */
async function resealUsers(
  context: DomainContext,
  actor: Scope['actor'],
  isClosed: () => boolean,
): Promise<void> {
  const { credentials } = context.store
  const keyId = context.vault.newestId()
  for (let after: CredentialName | undefined; !isClosed(); ) {
    const batch: CredentialName[] = await credentials.listSealed(keyId, after, BATCH)
    for (const { tenantId, userId, id } of batch) {
      await resealFactor({ context, actor, tenantId }, userId, id)
    }
    after = batch.at(-1)
    if (!after) return
  }
}

async function resealApplications(scope: Scope): Promise<void> {
  for await (const application of all((page) => listApplications(scope, page))) {
    await unlessRefused(resealApplication(scope, application), 'not_found')
  }
}

/** All items of a list, page by page. */
async function* all<T extends { id: string }>(
  list: (page: Page) => Promise<{ items: T[]; more: boolean }>,
): AsyncGenerator<T> {
  for (let page = PAGE, more = true; more; ) {
    const listing = await list(page)
    yield* listing.items
    page = { ...page, after: listing.items.at(-1)?.id }
    more = listing.more
  }
}
