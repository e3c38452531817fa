import { randomUUID } from 'node:crypto'
import type { Provider } from 'oidc-provider'
import { lookUpTenant } from '../../domain/tenants/tenants.ts'
import { note } from '../../domain/writes/audit.ts'
import type { DomainContext } from '../../domain/writes/context.ts'
import type { Vault } from '../../domain/writes/vault.ts'
import { persistently } from '../../store/persistently.ts'
import type { ClaimedMessage, ProtocolStore, QueuedMessage } from '../../store/protocol-store.ts'
import type { Tenant } from '../../store/records.ts'
import { untraced } from '../../telemetry/tracing.ts'
import {
  type EndedSession,
  hasBackchannel,
  interceptLogoutTokens,
} from '../oidc-provider-internals.ts'

/** Tells applications that sessions have ended, without the user waiting for it. */
export interface Notifier {
  /** Lets what oidc-provider itself has to tell take this way as well: it would wait, and try once. */
  attach(tenantId: string, provider: Provider): void
  /**
   * Resolves once the notice is stored; it is sent afterwards. Does nothing for an application without
   * a back-channel address.
   */
  tell(provider: Provider, ended: EndedSession): Promise<void>
  /** Starts to send, beginning with the notices that were left when the service ended. */
  start(providerOf: (tenant: Tenant) => Promise<Provider>): void
  /** Resolves when all due notices were tried. */
  idle(): Promise<void>
  /** Finishes what is under way; the rest is sent after the next start. */
  close(): Promise<void>
}

export interface NotifierOptions {
  domain: DomainContext
  protocol: Pick<ProtocolStore, 'notices'>
  logger: {
    warn(facts: object, message: string): void
    error(facts: object, message: string): void
  }
}

/** Waits before the attempts after the first; the last one repeats. */
const BACKOFF_SECONDS = [0.5, 3, 15, 60, 300, 900, 3_600]

/** When a notice that is not accepted is given up. */
const GIVE_UP_SECONDS = 86_400

/** The lease of a notice that is being sent, which is longer than a request may take. */
const LEASE_SECONDS = 15

/** How often the queue is looked at without being asked. */
const POLL_MS = 5_000

/** The most logout notices that are sent at once: some applications never answer, and the others must not wait. */
const MAX_UNDER_WAY = 50

/**
 * Sends logout tokens for a day, until the application accepts them.
 *
 * @see OpenID Connect Back-Channel Logout 1.0 §2.5
 */
export function createNotifier({ domain, protocol, logger }: NotifierOptions): Notifier {
  const { notices } = protocol
  const tenants = new WeakMap<Provider, string>()
  const senders = new WeakMap<Provider, (ended: EndedSession) => Promise<boolean>>()
  const underWay = new Set<Promise<void>>()
  const timers = new Set<NodeJS.Timeout>()
  let providerOf: ((tenant: Tenant) => Promise<Provider>) | undefined
  let draining: Promise<void> | undefined
  let isClosed = false

  async function post(tenantId: string, ended: EndedSession): Promise<void> {
    const id = randomUUID()
    const sealed = domain.vault.seal(purpose(id), JSON.stringify(ended))
    await notices.add({ id, tenantId, sealed })
    wake(0)
  }

  function wake(ms: number): void {
    if (isClosed) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      void deliver()
    }, ms)
    timer.unref()
    timers.add(timer)
  }

  function deliver(): Promise<void> {
    // Not in the trace of the request that woke it.
    draining ??= untraced(drain)
      .catch((err: unknown) => logger.error({ err }, 'Logout notices could not be read.'))
      .finally(() => {
        draining = undefined
      })
    return draining
  }

  async function drain(): Promise<void> {
    while (!isClosed && underWay.size < MAX_UNDER_WAY) {
      const claimed = await notices.claim(MAX_UNDER_WAY - underWay.size, LEASE_SECONDS)
      if (claimed.length === 0) return
      for (const notice of claimed) {
        const running = attempt(notice)
          .catch((err: unknown) => logger.error({ err }, 'A logout notice could not be stored.'))
          .finally(() => {
            if (underWay.size === MAX_UNDER_WAY) wake(0)
            underWay.delete(running)
          })
        underWay.add(running)
      }
    }
  }

  async function attempt(notice: ClaimedMessage): Promise<void> {
    const ended = JSON.parse(domain.vault.open(purpose(notice.id), notice.sealed)) as EndedSession
    let isSent: boolean
    try {
      isSent = await send(notice.tenantId, ended)
    } catch (error) {
      return postpone(notice, ended, error)
    }
    await persistently(() => notices.remove(notice.id))
    if (isSent) await audit(notice, ended, 'logout_notice.sent')
  }

  async function send(tenantId: string, ended: EndedSession): Promise<boolean> {
    const tenant = await lookUpTenant(domain, tenantId)
    const provider = tenant && (await providerOf?.(tenant))
    return (provider && (await senders.get(provider)?.(ended))) ?? false
  }

  async function postpone(
    notice: ClaimedMessage,
    ended: EndedSession,
    error: unknown,
  ): Promise<void> {
    const { id, tenantId, attempts, age } = notice
    const reason = error instanceof Error ? error.message : 'unknown'
    const facts = { tenantId, clientId: ended.clientId, reason }
    if (age > GIVE_UP_SECONDS) {
      logger.error(facts, 'An application has accepted no logout token for a day; it is given up.')
      await audit(notice, ended, 'logout_notice.given_up')
      return notices.remove(id)
    }
    logger.warn(facts, 'An application did not accept a logout token; it will be sent again.')
    const wait = BACKOFF_SECONDS[Math.min(attempts, BACKOFF_SECONDS.length - 1)] as number
    await notices.retry(id, wait)
    if (wait * 1_000 < POLL_MS) wake(wait * 1_000)
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

  async function finish(): Promise<void> {
    while (draining || underWay.size > 0) await Promise.all([draining, ...underWay])
  }

  const polling = setInterval(() => {
    if (notices.mayBeDue?.() !== false) void deliver()
  }, POLL_MS)
  polling.unref()

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
      wake(0)
    },

    async idle() {
      await draining
      await deliver()
      await finish()
    },

    async close() {
      isClosed = true
      clearInterval(polling)
      for (const timer of timers) clearTimeout(timer)
      await finish()
    },
  }
}

/** A notice sealed under the newest master key; `undefined` when it is already. */
export function resealNotice(vault: Vault, id: string, sealed: string): string | undefined {
  return vault.reseal(purpose(id), sealed)
}

function purpose(id: string): string {
  return `notice:${id}`
}
