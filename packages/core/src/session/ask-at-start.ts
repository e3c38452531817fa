import type { AuthContext } from '../context.ts'
import { LatchkeyError } from '../errors/errors.ts'
import type { MaybePromise } from '../shared/maybe-promise.ts'
import { storeAnswer } from './stores/store-answer.ts'

/**
 * Contacts the provider and the session store once, in the background, so that a wrong address or
 * password is in the log before the first user comes. Nothing waits for it. With several providers,
 * none is contacted. Without a logger, nothing is.
 *
 * @param hasPersonas - Whether test users replace the provider. Then only the store is contacted.
 */
export function askAtStart(
  { options, providers, storedSessions, log }: AuthContext,
  hasPersonas: boolean,
): void {
  if (options.logger === false) return
  const { store } = storedSessions
  const ask = async (answer: () => MaybePromise<unknown>): Promise<void> => {
    try {
      await answer()
    } catch (error) {
      if (error instanceof LatchkeyError) log.failed(error)
    }
  }
  setImmediate(() => {
    if (!hasPersonas) void ask(() => providers.fixed?.metadata())
    if (!storedSessions.inCookie && !store.isInProcess) {
      void ask(() => storeAnswer(() => store.get('ready')))
    }
  })
}
