import type { Tenant } from '../../store/records.ts'

/** The key of a tenant's metadata with the least number of characters of a password that a user chooses. */
export const LENGTH_KEY = 'latchkey_password_min_length'
/** The key of a tenant's metadata that says whether passwords are looked for in the ranges of Pwned Passwords. */
export const RANGES_KEY = 'latchkey_leaked_password_check'

/** The least number of characters for every tenant. */
export const LEAST_CHARACTERS = 8

/** bcrypt reads 72 bytes, which are 24 characters where each has three: more could not be entered in every script. */
export const MOST_LEAST_CHARACTERS = 24

/** The rules of a tenant for passwords that people choose. */
export interface PasswordPolicy {
  /** The least number of characters. */
  readonly least: number
  /** Whether leaked passwords are looked for at Pwned Passwords, beside the lists of the service. */
  readonly asksRanges: boolean
  /** Whether the tenant has set any of it. */
  readonly isSet: boolean
}

/** The policy of a tenant. A value that is not known has no effect. */
export function passwordPolicy({ metadata }: Pick<Tenant, 'metadata'>): PasswordPolicy {
  const { [LENGTH_KEY]: length = '', [RANGES_KEY]: ranges } = metadata
  const hasLength = isMinLength(length)
  const asksRanges = ranges === 'true'
  return {
    least: hasLength ? Number(length) : LEAST_CHARACTERS,
    asksRanges,
    isSet: hasLength || asksRanges,
  }
}

/** Whether a value is a least number of characters that a tenant can have. */
export function isMinLength(value: string): boolean {
  return (
    /^[1-9]\d?$/.test(value) &&
    Number(value) >= LEAST_CHARACTERS &&
    Number(value) <= MOST_LEAST_CHARACTERS
  )
}
