/** The source of the current time. Tests pass their own, or fake `Date`. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }
