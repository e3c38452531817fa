import { SessionStoreError } from '../errors.ts'

/**
 * Awaits an answer of the session store.
 *
 * @throws {@link SessionStoreError} whatever the store failed with.
 */
export async function storeAnswer<T>(promise: Promise<T> | undefined): Promise<T> {
  try {
    return (await promise) as T
  } catch (cause) {
    throw cause instanceof SessionStoreError ? cause : new SessionStoreError(cause)
  }
}
