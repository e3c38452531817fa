import type { Tenant } from '../../store/records.ts'

/** The metadata key of a tenant that says whether operators may log in as its users. */
export const IMPERSONATION_KEY = 'latchkey_impersonation'

/**
 * The modes of logging in as a user. `off`: operators may not. `asked`: the user has to agree on
 * the account page. `allowed`: the user is only notified.
 */
export const impersonationModes = ['off', 'asked', 'allowed'] as const

/** One of {@link impersonationModes}. */
export type ImpersonationMode = (typeof impersonationModes)[number]

/** The mode of a tenant. It is `off` if the metadata has no mode or an unknown one. */
export function impersonationMode({ metadata }: Pick<Tenant, 'metadata'>): ImpersonationMode {
  const { [IMPERSONATION_KEY]: value } = metadata
  return impersonationModes.find((one) => one === value) ?? 'off'
}
