/** A lookup of leaked passwords by their SHA-1: 40 upper-case hexadecimal digits. */
export interface LeakedPasswords {
  /** Whether the service's operator has a list. */
  readonly hasList: boolean
  /**
   * Whether the operator's list contains the password; `false` without a list.
   *
   * @throws when the list cannot be read.
   */
  isListed(sha1: string): Promise<boolean>
  /**
   * Whether Pwned Passwords contains the password. The first five digits of the hash are sent, on
   * behalf of the tenant. `false` also if no response arrives in time.
   */
  isInRanges(tenantId: string, sha1: string): Promise<boolean>
  close(): Promise<void>
}

/** A lookup that finds nothing, for processes in which no person chooses a password. */
export const noLeakedPasswords: LeakedPasswords = {
  hasList: false,
  isListed: async () => false,
  isInRanges: async () => false,
  close: async () => {},
}
