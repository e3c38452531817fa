import { randomUUID } from 'node:crypto'
import type { Provider } from 'oidc-provider'
import { type Background, messagesOf, sending } from '../../background/index.ts'
import { lookUpTenant } from '../../domain/tenants/tenants.ts'
import { note } from '../../domain/writes/audit.ts'
import { type DomainContext, isShared } from '../../domain/writes/context.ts'
import type { Vault } from '../../domain/writes/vault.ts'
import { persistently } from '../../store/persistently.ts'
import type { ClaimedMessage, ProtocolStore, QueuedMessage } from '../../store/protocol-store.ts'
import type { Tenant } from '../../store/records.ts'
import { type EndedSession, hasBackchannel, interceptLogoutTokens } from '../engine/client.ts'

/** Notifies applications that sessions have ended, while the user does not wait for it. */
export interface LogoutNotices {
  /** Sends oidc-provider's own notices in this way, too. oidc-provider would send each only once, and wait for it. */
  attach(tenantId: string, provider: Provider): void
  /**
   * Resolves once the notice is stored; it is sent later. Does nothing for an application without a back-channel
   * address.
   */
  tell(provider: Provider, ended: EndedSession): Promise<void>
  /** Starts sending, with the notices that are left from before a restart. */
  start(providerOf: (tenant: Tenant) => Promise<Provider>): void
  /** Resolves when every due notice was tried. */
  idle(): Promise<void>
}

export interface LogoutNoticesOptions {
  domain: DomainContext
  protocol: Pick<ProtocolStore, 'notices'>
  background: Background
  logger: {
    warn(facts: object, message: string): void
    error(facts: object, message: string): void
  }
}

/** The pauses between attempts, in seconds. The last one repeats. */
const BACKOFF_SECONDS = [0.5, 3, 15, 60, 300, 900, 3_600]

/** After this time, an unaccepted notice is given up. */
const GIVE_UP_SECONDS = 86_400

/** After this time, another process sends the notices of a process that has died. */
const LEASE_SECONDS = 15

/** How often the queue is checked without a signal, in one process and if several share it. */
const POLL_MS = 5_000
const SHARED_POLL_MS = 1_000

/** How many notices are sent at once. Some applications never answer, and the others must not wait for them. */
const MAX_AT_ONCE = 50

/**
 * Sends logout tokens, for up to a day until the application accepts them.
 *
 * @see OpenID Connect Back-Channel Logout 1.0 §2.5
 */
export function createLogoutNotices(options: LogoutNoticesOptions): LogoutNotices {
  const { domain, protocol, logger, background } = options
  const { notices } = protocol
  const tenants = new WeakMap<Provider, string>()
  const senders = new WeakMap<Provider, (ended: EndedSession) => Promise<boolean>>()
  let providerOf: ((tenant: Tenant) => Promise<Provider>) | undefined
  const worker = background.work<ClaimedMessage>('logout notices', {
    queue: messagesOf(notices, BACKOFF_SECONDS),
    leaseSeconds: LEASE_SECONDS,
    atOnce: MAX_AT_ONCE,
    pollMs: isShared(domain) ? SHARED_POLL_MS : POLL_MS,
    attempt: sending({
      queue: notices,
      backoffSeconds: BACKOFF_SECONDS,
      giveUpSeconds: GIVE_UP_SECONDS,
      open: ({ id, sealed }) => JSON.parse(domain.vault.open(purpose(id), sealed)) as EndedSession,
      async send(notice, ended) {
        const isSent = await send(notice.tenantId, ended)
        return async () => {
          await persistently(() => notices.remove(notice.id))
          if (isSent) await audit(notice, ended, 'logout_notice.sent')
        }
      },
      onRetry: (notice, ended, error) =>
        logger.warn(
          factsOf(notice, ended, error),
          'An application did not accept a logout token; it will be sent again.',
        ),
      async onGivenUp(notice, ended, error) {
        logger.error(
          factsOf(notice, ended, error),
          'An application has accepted no logout token for a day; it is given up.',
        )
        await audit(notice, ended, 'logout_notice.given_up')
        await notices.remove(notice.id)
      },
    }),
  })

  async function post(tenantId: string, ended: EndedSession): Promise<void> {
    const id = randomUUID()
    const sealed = domain.vault.seal(purpose(id), JSON.stringify(ended))
    await notices.add({ id, tenantId, sealed })
    worker.wake()
  }

  async function send(tenantId: string, ended: EndedSession): Promise<boolean> {
    const tenant = await lookUpTenant(domain, tenantId)
    const provider = tenant && (await providerOf?.(tenant))
    return (provider && (await senders.get(provider)?.(ended))) ?? false
  }

  async function audit(
    { tenantId }: QueuedMessage,
    { clientId, sub }: EndedSession,
    action: 'logout_notice.sent' | 'logout_notice.given_up',
  ): Promise<void> {
    const actor = { name: 'service', applicationId: clientId }
    const outcome = action === 'logout_notice.sent' ? 'success' : 'failure'
    await note({ context: domain, actor, tenantId }, action, `${sub}/${clientId}`, outcome)
  }

  return {
    attach(tenantId, provider) {
      tenants.set(provider, tenantId)
      senders.set(
        provider,
        interceptLogoutTokens(provider, (ended) => post(tenantId, ended)),
      )
    },

    async tell(provider, ended) {
      const tenantId = tenants.get(provider)
      if (tenantId === undefined || !(await hasBackchannel(provider, ended.clientId))) return
      await post(tenantId, ended)
    },

    start(of) {
      providerOf = of
      worker.wake()
    },

    idle: worker.idle,
  }
}

function factsOf({ tenantId }: QueuedMessage, { clientId }: EndedSession, error: unknown): object {
  return { tenantId, clientId, reason: error instanceof Error ? error.message : 'unknown' }
}

/** A notice sealed under the newest master key; `undefined` if it already is. */
export function resealNotice(vault: Vault, id: string, sealed: string): string | undefined {
  return vault.reseal(purpose(id), sealed)
}

function purpose(id: string): string {
  return `notice:${id}`
}
