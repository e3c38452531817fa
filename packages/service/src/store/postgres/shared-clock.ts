import type { Clock } from '../../clock.ts'

/** The clock of PostgreSQL, as a process knows it from the answers that it gets. */
export interface SharedClock extends Clock {
  /**
   * Corrects the clock.
   *
   * @param at - The time of PostgreSQL, in milliseconds.
   * @param askedAt - When it was asked, by `performance.now()`.
   */
  hear(at: number, askedAt: number): void
}

/**
 * Follows the clock of PostgreSQL. Between two answers it runs on by the time that passes, so that it does not matter what
 * the machine's clock says. Until the first answer it is the machine's.
 */
export function createSharedClock(): SharedClock {
  let offset: number | undefined
  return {
    now: () => (offset === undefined ? Date.now() : performance.now() + offset),
    hear(at, askedAt) {
      // The answer was made between the two: a clock that lies within needs no correction.
      const [earliest, latest] = [at - performance.now(), at - askedAt]
      offset = Math.min(latest, Math.max(earliest, offset ?? (earliest + latest) / 2))
    },
  }
}
