import type { AuthContext } from '../context.ts'
import { LatchkeyError } from '../errors/errors.ts'
import type { MaybePromise } from '../shared/maybe-promise.ts'
import { storeAnswer } from './stores/store-answer.ts'

/**
 * Asks the provider and the session store once, in the background. So a wrong address or password
 * is in the log before the first user comes. Nothing waits for it. With several providers, none is
 * asked. Without a logger, nothing is asked.
 *
 * @param hasPersonas - Whether test users stand in for a provider: then the store alone is asked.
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
