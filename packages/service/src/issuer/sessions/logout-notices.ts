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

/**
 * The queue of logout tokens, by which applications are notified of ended sessions in the
 * background.
 */
export interface LogoutNotices {
  /**
   * Queues the logout tokens of oidc-provider, too. oidc-provider would send each of them only
   * once, while the user waits.
   */
  attach(tenantId: string, provider: Provider): void
  /**
   * Stores a notice, which is sent later. Does nothing for an application without a back-channel
   * logout URI.
   */
  tell(provider: Provider, ended: EndedSession): Promise<void>
  /** Starts sending, including the notices from before a restart. */
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

/** The pauses between attempts, in seconds. The last pause is repeated. */
const BACKOFF_SECONDS = [0.5, 3, 15, 60, 300, 900, 3_600]

/** The time after which a notice that was not accepted is given up, in seconds. */
const GIVE_UP_SECONDS = 86_400

/**
 * The time after which another process takes over the notices of a process that has died, in
 * seconds.
 */
const LEASE_SECONDS = 15

/**
 * The interval between two checks of the queue without a signal, in milliseconds: in a single
 * process, and if several processes share the queue.
 */
const POLL_MS = 5_000
const SHARED_POLL_MS = 1_000

/**
 * The maximum number of notices that are sent concurrently. Some applications never answer, and
 * notices to others must not wait for them.
 */
const MAX_AT_ONCE = 50

/**
 * Creates the queue of logout tokens. A token is sent until the application accepts it, for up to a
 * day.
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

/** A notice sealed under the newest master key; `undefined` if the notice already is. */
export function resealNotice(vault: Vault, id: string, sealed: string): string | undefined {
  return vault.reseal(purpose(id), sealed)
}

function purpose(id: string): string {
  return `notice:${id}`
}
