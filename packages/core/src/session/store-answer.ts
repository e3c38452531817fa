import { SessionEndedError, SessionStoreError } from '../errors.ts'
import type { MaybePromise } from '../maybe-promise.ts'

/**
 * Awaits an answer of the session store.
 *
 * @throws {@link SessionStoreError} whatever the store failed with; {@link SessionEndedError} as it is.
 */
export async function storeAnswer<T>(ask: () => MaybePromise<T>): Promise<T> {
  try {
    return await ask()
  } catch (cause) {
    throw storeError(cause)
  }
}

/** The error that the kit reports for one of the store. */
export function storeError(cause: unknown): SessionStoreError | SessionEndedError {
  const isKnown = cause instanceof SessionStoreError || cause instanceof SessionEndedError
  return isKnown ? cause : new SessionStoreError(cause)
}
