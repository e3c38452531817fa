/** The clock that the service, the application and the test share. */
export interface TestClock {
  /** Returns the time in milliseconds since the epoch. */
  now(): number
  /**
   * Moves the time ahead by seconds. This changes `Date` in this process, but no timers. Closing
   * the identity moves the time back.
   */
  advance(seconds: number): void
}

/** A clock that can be moved ahead, and reset. */
export interface ShiftingClock extends TestClock {
  reset(): void
}

/** Makes a clock from `Date`. `Date` stays unchanged until the clock is moved. */
export function createTestClock(): ShiftingClock {
  let moved = 0
  const clock: ShiftingClock = {
    now: () => Date.now(),
    advance(seconds) {
      if (!Number.isFinite(seconds) || seconds < 0) {
        throw new RangeError(
          `clock.advance() takes seconds to move ahead, 0 or more; it got ${seconds}.`,
        )
      }
      moved += seconds * 1000
      shift(seconds * 1000)
    },
    reset() {
      shift(-moved)
      moved = 0
    },
  }
  return clock
}

/** The milliseconds by which all clocks together have moved the time of this process ahead. */
let aheadMs = 0
let original: DateConstructor | undefined
let shifted: DateConstructor | undefined

function shift(byMs: number): void {
  aheadMs += byMs
  if (aheadMs !== 0 && !original) {
    original = globalThis.Date
    shifted = shiftedDate(original)
    globalThis.Date = shifted
  } else if (aheadMs === 0 && original && globalThis.Date === shifted) {
    // If a test has faked `Date` since, this is not reached: the fake stays, and the shifted `Date`
    // below it adds nothing any more.
    globalThis.Date = original
    original = undefined
  }
}

function shiftedDate(real: DateConstructor): DateConstructor {
  function now(): number {
    return real.now() + aheadMs
  }
  return new Proxy(real, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    // Without `new`, `Date` returns the time as text.
    apply: () => new real(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
}
