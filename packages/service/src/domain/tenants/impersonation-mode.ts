import type { Tenant } from '../../store/records.ts'

/** The key of a tenant's metadata that says whether operators may log in as its users. */
export const IMPERSONATION_KEY = 'latchkey_impersonation'

/**
 * Whether operators may log in as users: not at all, after the user has agreed on the account page, or with a notice
 * to the user.
 */
export const impersonationModes = ['off', 'asked', 'allowed'] as const

/** One of {@link impersonationModes}. */
export type ImpersonationMode = (typeof impersonationModes)[number]

/** The mode of a tenant; `off` if it has none, or a value that only a newer version knows. */
export function impersonationMode({ metadata }: Pick<Tenant, 'metadata'>): ImpersonationMode {
  const { [IMPERSONATION_KEY]: value } = metadata
  return impersonationModes.find((one) => one === value) ?? 'off'
}
