/** Where leaked passwords are looked for, by the SHA-1 of a password: 40 upper-case hexadecimal digits. */
export interface LeakedPasswords {
  /** Whether the service's operator has a list. */
  readonly hasList: boolean
  /**
   * Whether the list of the service's operator has it; `false` where there is no list.
   *
   * @throws when the list cannot be read.
   */
  isListed(sha1: string): Promise<boolean>
  /**
   * Whether the ranges of Pwned Passwords have it. Five digits are sent, on behalf of the tenant. `false` also when there
   * is no answer in time.
   */
  isInRanges(tenantId: string, sha1: string): Promise<boolean>
  close(): Promise<void>
}

/** For processes in which no person chooses a password. */
export const noLeakedPasswords: LeakedPasswords = {
  hasList: false,
  isListed: async () => false,
  isInRanges: async () => false,
  close: async () => {},
}
