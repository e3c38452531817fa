import { CookieSessionError, SessionEndedError, SessionStoreError } from '../../errors/errors.ts'
import { isThenable, type MaybePromise } from '../../shared/maybe-promise.ts'

/**
 * Asks the session store. An answer without a promise is there at once; an error that it throws
 * becomes a rejection.
 *
 * @throws {@link SessionStoreError} for every failure of the store; errors of the kit as they are.
 */
export function storeAnswer<T>(ask: () => MaybePromise<T>): MaybePromise<T> {
  try {
    const answer = ask()
    return isThenable(answer) ? Promise.resolve(answer).catch(fail) : answer
  } catch (cause) {
    return fail(cause)
  }
}

function fail(cause: unknown): Promise<never> {
  return Promise.reject(storeError(cause))
}

/** The error that the kit reports for one of the store. */
export function storeError(
  cause: unknown,
): SessionStoreError | SessionEndedError | CookieSessionError {
  const isKnown =
    cause instanceof SessionStoreError ||
    cause instanceof SessionEndedError ||
    cause instanceof CookieSessionError
  return isKnown ? cause : new SessionStoreError(cause)
}
