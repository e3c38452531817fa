import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DomainContext } from '../domain/context.ts'
import type { ProtocolStore } from '../store/protocol-store.ts'
import type { IssuerContext, IssuerLogger } from './context.ts'
import { createDispatcher } from './dispatcher.ts'
import { createNotifier } from './notifier.ts'
import { createProviders } from './providers.ts'

export type { IssuerLogger } from './context.ts'
export { rotateSigningKey } from './keys.ts'

export interface IssuerOptions {
  domain: DomainContext
  protocol: ProtocolStore
  logger: IssuerLogger
  /**
   * Serves domains on this very machine (`localhost`, `*.localhost`, `127.0.0.1`, `[::1]`) as `http://`
   * issuers. Right for development only. Default `false`.
   */
  allowHttpOnLoopback?: boolean
}

/** Every tenant as an OpenID provider, with the pages its users see. */
export interface Issuer {
  /**
   * Answers any request outside `/v1` and `/x/v1`. Resolves to `false`, with nothing answered, when
   * no tenant is at the host.
   */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** Stops what runs in the background. */
  close(): Promise<void>
}

/** How often what has expired is removed. */
const PRUNE_EVERY_MS = 60_000

/** Makes the issuer of all tenants. */
export function createIssuer(options: IssuerOptions): Issuer {
  const context: IssuerContext = {
    ...options,
    notifier: createNotifier(options.logger),
    allowHttpOnLoopback: options.allowHttpOnLoopback ?? false,
  }
  const handle = createDispatcher(context, createProviders(context))
  const pruning = setInterval(() => {
    options.protocol.prune().catch((error: unknown) => {
      options.logger.error({ error }, 'Expired protocol state could not be removed.')
    })
  }, PRUNE_EVERY_MS)
  pruning.unref()

  return {
    handle,
    async close() {
      clearInterval(pruning)
      await context.notifier.idle()
    },
  }
}
