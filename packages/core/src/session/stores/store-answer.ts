import { CookieSessionError, SessionEndedError, SessionStoreError } from '../../errors/errors.ts'
import { isThenable, type MaybePromise } from '../../shared/maybe-promise.ts'

/**
 * Calls the session store. A result that is no promise is returned at once. An error that is thrown
 * becomes a rejection.
 *
 * @throws {@link SessionStoreError} for every failure of the store. {@link SessionEndedError} and
 *   {@link CookieSessionError} are passed on.
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

/**
 * The error for a failure of the store: a {@link SessionStoreError}, unless it is an error of the
 * kit already.
 */
export function storeError(
  cause: unknown,
): SessionStoreError | SessionEndedError | CookieSessionError {
  const isKnown =
    cause instanceof SessionStoreError ||
    cause instanceof SessionEndedError ||
    cause instanceof CookieSessionError
  return isKnown ? cause : new SessionStoreError(cause)
}
