/** Calls into telemetry of the application. None of them throws, so that measuring never changes an outcome. */
export interface GuardedCalls {
  /** The result of a call; `undefined` when it has failed. */
  attempt<T>(call: () => T): T | undefined
  /** Runs work within a wrapper of the application: once, even if the wrapper fails before it or after it. */
  within<T>(wrap: (work: () => void) => unknown, work: () => T): T
}

/**
 * Makes the calls of one instance.
 *
 * @param failed - Hears the first failure, and no other.
 */
export function createGuardedCalls(failed: (cause: unknown) => void): GuardedCalls {
  let hasFailed = false
  const attempt: GuardedCalls['attempt'] = (call) => {
    try {
      return call()
    } catch (cause) {
      if (!hasFailed) {
        hasFailed = true
        failed(cause)
      }
      return undefined
    }
  }
  return {
    attempt,
    within<T>(wrap: (work: () => void) => unknown, work: () => T): T {
      let result: (() => T) | undefined
      const once = (): (() => T) => {
        result ??= resultOf(work)
        return result
      }
      attempt(() => wrap(once))
      return once()()
    },
  }
}

/** Runs work; calling the result returns what it returned, or throws what it threw. */
function resultOf<T>(work: () => T): () => T {
  try {
    const value = work()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}
