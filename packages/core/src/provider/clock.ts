/** The allowed difference between the clocks of the provider and of this machine, in seconds. */
export const CLOCK_TOLERANCE_SECONDS = 30

/**
 * The lowest `maxAge` that is checked, in seconds. The user needs some time to get from the login
 * to the page.
 */
export const MIN_MAX_AGE_SECONDS = 60
