/** A source of the current time. Tests can pass their own clock, or fake `Date`. */
export interface Clock {
  /** Returns the time in milliseconds since the epoch. */
  now(): number
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }
