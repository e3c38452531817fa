import type { Tenant } from '../../store/records.ts'
import { listStranded } from '../applications/applications.ts'
import { offeredConnections } from '../connections/connections.ts'
import { opensDeveloperMode } from '../tenants/developer-mode.ts'
import { hasWayIn, rpIdOf } from '../ways/login-methods.ts'
import type { Scope } from '../writes/context.ts'
import { type Reason, reason } from '../writes/reasons/index.ts'

/**
 * Warnings about the settings of a tenant, in sentences.
 *
 * @param tenant - The tenant, which may not be stored yet.
 * @param before - The tenant before the change. Default: no change.
 */
export async function warningsOf(
  scope: Scope,
  tenant: Tenant,
  before: Pick<Tenant, 'settings'> = tenant,
): Promise<Reason[]> {
  const { settings } = tenant
  const lost = await countLostKeys(scope, tenant, before)
  const offered = await offeredConnections(scope.context, tenant)
  const stranded = (await listStranded(scope, settings)).map(({ id, name }) => `${id} "${name}"`)
  const isUseless = settings.allowSocial && offered.length === 0
  const isClosed = settings.developerMode && !opensDeveloperMode(scope.context, tenant)
  return [
    hasWayIn(settings, offered) ? [] : [reason('warning_no_way_in')],
    isUseless ? [reason('warning_no_connection')] : [],
    stranded.length > 0 ? [reason('warning_plain_http', { names: stranded.join(', ') })] : [],
    lost > 0 ? [reason('warning_lost_keys', { count: lost })] : [],
    isClosed ? [reason('warning_developer_mode')] : [],
  ].flat()
}

/**
 * The number of passkeys and security keys that a change of the domain makes unusable. It is 0 if
 * the domain did not change.
 */
async function countLostKeys(
  { context }: Scope,
  { id, settings }: Tenant,
  before: Pick<Tenant, 'settings'>,
): Promise<number> {
  const rpId = rpIdOf(settings)
  // Counting reads every credential of the tenant, so it is done only after a change.
  if (rpId === rpIdOf(before.settings)) return 0
  return context.store.credentials.countForeignKeys(id, rpId ?? '')
}
