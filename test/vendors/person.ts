/** The address of the person who logs in at every emulated provider. */
export const EMAIL = 'ada@example.com'
