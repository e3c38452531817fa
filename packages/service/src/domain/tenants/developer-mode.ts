import type { Tenant } from '../../store/records.ts'
import type { DomainContext } from '../writes/context.ts'

/**
 * Whether developer mode opens private networks and the outbox page to the tenant. Its owner switches
 * the mode on; the operator decides at start whether that opens anything.
 */
export function opensDeveloperMode(
  { allowDeveloperMode }: Pick<DomainContext, 'allowDeveloperMode'>,
  { settings }: Tenant,
): boolean {
  return allowDeveloperMode && settings.developerMode
}
