/** The difference that is allowed between the clocks of the provider and of this machine. */
export const CLOCK_TOLERANCE_SECONDS = 30

/** The lowest `maxAge` that is checked: a user needs some time from the login to the page. */
export const MIN_MAX_AGE_SECONDS = 60
