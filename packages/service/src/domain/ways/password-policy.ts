import type { Tenant } from '../../store/records.ts'

/** The metadata key of a tenant with the minimum length of passwords that users choose. */
export const LENGTH_KEY = 'latchkey_password_min_length'
/** The metadata key of a tenant that says whether passwords are looked up at Pwned Passwords. */
export const RANGES_KEY = 'latchkey_leaked_password_check'

/** The minimum length at every tenant, in characters. */
export const LEAST_CHARACTERS = 8

/**
 * The highest minimum length that a tenant can set, in characters. bcrypt reads 72 bytes, which are
 * 24 characters of three bytes each. A higher minimum could not be met in every script.
 */
export const MOST_LEAST_CHARACTERS = 24

/** The rules of a tenant for passwords that people choose. */
export interface PasswordPolicy {
  /** The minimum length, in characters. */
  readonly least: number
  /**
   * Whether passwords are looked up at Pwned Passwords, in addition to the lists of the service.
   */
  readonly asksRanges: boolean
  /** Whether the tenant has set a minimum length or the lookup. */
  readonly isSet: boolean
}

/** The password policy of a tenant. Invalid values have no effect. */
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

/** Whether a value is a minimum length that a tenant can set. */
export function isMinLength(value: string): boolean {
  return (
    /^[1-9]\d?$/.test(value) &&
    Number(value) >= LEAST_CHARACTERS &&
    Number(value) <= MOST_LEAST_CHARACTERS
  )
}
