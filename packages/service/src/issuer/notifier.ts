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
  /** Does nothing for an application without a back-channel address. */
  tell(provider: Provider, ended: EndedSession): void
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
}

/** How long to wait before each further attempt. */
const RETRY_AFTER_MS = [500, 3_000]

interface BackchannelClient {
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

  async function send(provider: Provider, { clientId, sub, sid }: EndedSession): Promise<void> {
    const client = (await provider.Client.find(clientId)) as BackchannelClient | undefined
    if (!client?.backchannelLogoutUri) return
    for (let attempt = 0; ; attempt++) {
      try {
        return await client.backchannelLogout(sub, sid)
      } catch (error) {
        const wait = RETRY_AFTER_MS[attempt]
        if (wait === undefined) throw error
        await new Promise((resolve) => setTimeout(resolve, wait).unref())
      }
    }
  }

  return {
    tell(provider, ended) {
      const sending = send(provider, ended)
        .catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : 'unknown'
          const { clientId } = ended
          logger.warn({ clientId, reason }, 'An application did not accept a logout token.')
        })
        .finally(() => underWay.delete(sending))
      underWay.add(sending)
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
