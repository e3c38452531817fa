import { setTimeout as sleep } from 'node:timers/promises'
import type { Provider } from 'oidc-provider'
import type { IssuerLogger } from './context.ts'

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

interface BackchannelClient {
  clientId: string
  backchannelLogoutUri?: string
  backchannelLogout(sub: string, sid: string | undefined): Promise<void>
}

/**
 * Sends logout tokens, each up to three times.
 *
 * @see OpenID Connect Back-Channel Logout 1.0 §2.5
 */
export function createNotifier(logger: IssuerLogger): Notifier {
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
      const { prototype } = provider.Client as unknown as { prototype: BackchannelClient }
      const { backchannelLogout: send } = prototype
      prototype.backchannelLogout = async function (sub, sid) {
        run(this.clientId, () => persist(() => send.call(this, sub, sid)))
      }
    },
    tell(provider, { clientId, sub, sid }) {
      run(clientId, async () => {
        const client = (await provider.Client.find(clientId)) as BackchannelClient | undefined
        if (client?.backchannelLogoutUri) await client.backchannelLogout(sub, sid)
      })
    },
    idle,
    close() {
      closing.abort()
      return idle()
    },
  }
}
