import type { Tenant } from '../../store/records.ts'
import type { DomainContext } from '../writes/context.ts'

/**
 * Whether developer mode opens private networks and the outbox page to the tenant. The owner of the tenant turns the
 * mode on; the operator of the service decides at its start whether it has an effect.
 */
export function opensDeveloperMode(
  { allowDeveloperMode }: Pick<DomainContext, 'allowDeveloperMode'>,
  { settings }: Tenant,
): boolean {
  return allowDeveloperMode && settings.developerMode
}
