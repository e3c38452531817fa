import type { Tenant } from '../../store/records.ts'
import { listStranded } from '../applications/applications.ts'
import { offeredConnections } from '../connections/connections.ts'
import { opensDeveloperMode } from '../tenants/developer-mode.ts'
import { hasWayIn, rpIdOf } from '../ways/login-methods.ts'
import type { Scope } from '../writes/context.ts'

/**
 * Warnings for the owner of a tenant about its settings, in sentences.
 *
 * @param tenant - As it is, or as it would be.
 * @param before - The tenant before it was changed.
 */
export async function warningsOf(
  scope: Scope,
  tenant: Tenant,
  before: Pick<Tenant, 'settings'> = tenant,
): Promise<string[]> {
  const { settings } = tenant
  const lost = await countLostKeys(scope, tenant, before)
  const offered = await offeredConnections(scope.context, tenant)
  const stranded = (await listStranded(scope, settings)).map(({ id, name }) => `${id} "${name}"`)
  const warnings = {
    'Users cannot log in: "allow_passwords" is off, and no other setting allows a way to log in.':
      !hasWayIn(settings, offered),
    '"allow_social" has no effect: no connection is enabled. Add one: latchkey-service connection add':
      settings.allowSocial && offered.length === 0,
    [`Outside developer mode, plain-http URLs do not work, of: ${stranded.join(', ')}.`]:
      stranded.length > 0,
    [`Passkeys and security keys that users added at another domain do not work at this one (${lost} of them). They work again when you set it back.`]:
      lost > 0,
    '"developer_mode" opens no private network and no outbox: the operator has not allowed it.':
      settings.developerMode && !opensDeveloperMode(scope.context, tenant),
  }
  return Object.keys(warnings).filter((sentence) => warnings[sentence])
}

/** How many passkeys and security keys do not work since the domain was changed. */
async function countLostKeys(
  { context }: Scope,
  { id, settings }: Tenant,
  before: Pick<Tenant, 'settings'>,
): Promise<number> {
  const rpId = rpIdOf(settings)
  // Every credential of the tenant is read for it.
  if (rpId === rpIdOf(before.settings)) return 0
  return context.store.credentials.countForeignKeys(id, rpId ?? '')
}
