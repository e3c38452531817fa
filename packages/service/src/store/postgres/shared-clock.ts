import type { Clock } from '../../clock.ts'

/** PostgreSQL's clock, estimated from its answers. */
export interface SharedClock extends Clock {
  /**
   * Corrects the estimate.
   *
   * @param at - The time of PostgreSQL in the answer, in milliseconds since the epoch.
   * @param askedAt - The time at which the query was sent, by `performance.now()`.
   */
  hear(at: number, askedAt: number): void
}

/**
 * Makes a clock that estimates PostgreSQL's clock. Between two answers, the estimate advances by
 * the time that passes, and ignores changes of the machine's clock. Until the first answer, the
 * machine's clock is used.
 */
export function createSharedClock(): SharedClock {
  let offset: number | undefined
  return {
    now: () => (offset === undefined ? Date.now() : performance.now() + offset),
    hear(at, askedAt) {
      // PostgreSQL read its clock at some moment between the query and the answer. An estimate in
      // this range needs no correction.
      const [earliest, latest] = [at - performance.now(), at - askedAt]
      offset = Math.min(latest, Math.max(earliest, offset ?? (earliest + latest) / 2))
    },
  }
}
