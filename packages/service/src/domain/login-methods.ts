import type { TenantSettings } from '../store/records.ts'

/** The settings of login methods that are foreseen and not built, by their names in the API. */
const NOT_BUILT: Readonly<Record<string, keyof TenantSettings>> = {
  allow_social: 'allowSocial',
  allow_hardware: 'allowHardware',
}

/** The methods that are switched on and have no effect, by the names of their settings in the API. */
export function methodsWithoutEffect(settings: TenantSettings): string[] {
  return Object.entries(NOT_BUILT).flatMap(([name, key]) => (settings[key] ? [name] : []))
}

/** Whether there is any way to log in at the tenant. */
export function hasWayIn({ allowPasswords }: TenantSettings): boolean {
  return allowPasswords
}
