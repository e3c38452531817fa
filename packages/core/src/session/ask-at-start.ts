import type { AuthContext } from '../context.ts'
import { LatchkeyError } from '../errors/errors.ts'
import type { MaybePromise } from '../shared/maybe-promise.ts'
import { storeAnswer } from './stores/store-answer.ts'

/**
 * Contacts the provider and the session store once, in the background, so that the log shows a
 * wrong URL or password before the first user comes. With several providers, only the store is
 * contacted. A store in memory or in cookies is not. Without a logger, nothing happens.
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
