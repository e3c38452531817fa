import type { Tenant } from '../../store/records.ts'
import type { DomainContext } from '../writes/context.ts'

/**
 * Whether the tenant can use private networks and the outbox page in developer mode. A setting of
 * the tenant turns the mode on. An option of the service decides whether the mode has an effect.
 */
export function opensDeveloperMode(
  { allowDeveloperMode }: Pick<DomainContext, 'allowDeveloperMode'>,
  { settings }: Tenant,
): boolean {
  return allowDeveloperMode && settings.developerMode
}
