import type { Clock } from '../../clock.ts'

/** PostgreSQL's clock, estimated from its answers. */
export interface SharedClock extends Clock {
  /**
   * Corrects the estimate.
   *
   * @param at - The time of PostgreSQL, in milliseconds.
   * @param askedAt - When the question was sent, by `performance.now()`.
   */
  hear(at: number, askedAt: number): void
}

/**
 * Estimates PostgreSQL's clock. Between two answers, it advances by the time that passes, and ignores changes of the
 * machine's clock. Until the first answer, it is the machine's clock.
 */
export function createSharedClock(): SharedClock {
  let offset: number | undefined
  return {
    now: () => (offset === undefined ? Date.now() : performance.now() + offset),
    hear(at, askedAt) {
      // PostgreSQL answered at some moment between the two. An estimate in this range needs no
      // correction.
      const [earliest, latest] = [at - performance.now(), at - askedAt]
      offset = Math.min(latest, Math.max(earliest, offset ?? (earliest + latest) / 2))
    },
  }
}
