/**
 * Calls of the application's telemetry. Its errors are caught, so that measuring never changes a
 * result.
 */
export interface GuardedCalls {
  /** The result of a call; `undefined` when it has failed. */
  attempt<T>(call: () => T): T | undefined
  /**
   * Runs `work` inside a wrapper of the application, and returns its result or throws its error.
   * `work` runs exactly once, even if the wrapper fails before or after it.
   */
  within<T>(wrap: (work: () => void) => unknown, work: () => T): T
}

/**
 * Makes the {@link GuardedCalls} of one instance.
 *
 * @param failed - Called with the first failure only.
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

/** Runs `work`. The returned function returns the result of `work`, or throws its error. */
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
