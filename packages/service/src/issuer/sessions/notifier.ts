import { setTimeout as sleep } from 'node:timers/promises'
import type { Provider } from 'oidc-provider'
import { interceptLogoutTokens, sendLogoutToken } from '../oidc-provider-internals.ts'

/** Whose session ended, at which application. */
export interface EndedSession {
  clientId: string
  sub: string
  sid: string | undefined
}

/** Tells applications that sessions have ended, without anybody waiting for it. */
export interface Notifier {
  /** Lets what oidc-provider itself has to tell take this way as well: it would wait, and try once. */
  attach(provider: Provider): void
  /** Does nothing for an application without a back-channel address. */
  tell(provider: Provider, ended: EndedSession): void
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
  /** Waits for nothing any more: what is under way has one last attempt. */
  close(): Promise<void>
}

/** How long to wait before each further attempt. */
const RETRY_AFTER_MS = [500, 3_000]

/**
 * Sends logout tokens, each up to three times.
 *
 * @see OpenID Connect Back-Channel Logout 1.0 §2.5
 */
export function createNotifier(logger: { warn(facts: object, message: string): void }): Notifier {
  const underWay = new Set<Promise<void>>()
  const closing = new AbortController()

  function run(clientId: string, work: () => Promise<void>): void {
    const running = work()
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : 'unknown'
        logger.warn({ clientId, reason }, 'An application did not accept a logout token.')
      })
      .finally(() => underWay.delete(running))
    underWay.add(running)
  }

  async function persist(send: () => Promise<void>): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await send()
      } catch (error) {
        const wait = RETRY_AFTER_MS[attempt]
        if (wait === undefined || closing.signal.aborted) throw error
        await sleep(wait, undefined, { signal: closing.signal }).catch(() => {})
      }
    }
  }

  async function idle(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay)
  }

  return {
    attach(provider) {
      interceptLogoutTokens(provider, (clientId, send) => run(clientId, () => persist(send)))
    },
    tell(provider, ended) {
      run(ended.clientId, () => sendLogoutToken(provider, ended))
    },
    idle,
    close() {
      closing.abort()
      return idle()
    },
  }
}
