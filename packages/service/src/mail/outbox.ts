import { randomUUID } from 'node:crypto'
import { type Background, messagesOf, sending } from '../background/index.ts'
import { opensDeveloperMode } from '../domain/tenants/developer-mode.ts'
import { countMail } from '../domain/tenants/mail-days.ts'
import { note } from '../domain/writes/audit.ts'
import { type DomainContext, isShared } from '../domain/writes/context.ts'
import type { Vault } from '../domain/writes/vault.ts'
import { chooseLanguage, type Language } from '../pages/index.ts'
import { persistently } from '../store/persistently.ts'
import type {
  ClaimedMessage,
  MessageOutcome,
  MessageQuery,
  ProtocolStore,
  QueuedMessage,
} from '../store/protocol-store.ts'
import type { Tenant } from '../store/records.ts'
import { count } from '../telemetry/metrics.ts'
import { inOwnTrace } from '../telemetry/tracing.ts'
import type { MailKind } from './compose.ts'
import type { MailMessage, MailTransport } from './message.ts'
import { answerIn, codesOf, isFinal } from './refusal.ts'

/** A message that was captured instead of being sent. */
export interface CapturedMail extends MailMessage {
  to: string
  /** The time of capture, in milliseconds since the epoch. */
  at: number
}

/** The mail that waits to be sent, or was captured. */
export interface Outbox {
  /** Whether there is a mail server. Without one, all mail is captured. */
  readonly sends: boolean
  /**
   * Stores a message, which is sent afterwards. It is captured instead if the tenant is in
   * developer mode or the service has no mail server.
   */
  post(tenant: Tenant, message: MailMessage, about: MailSubject): Promise<QueuedMessage>
  /** Lists the messages of a tenant that were captured or are waiting, the newest first. */
  list(tenantId: string): Promise<CapturedMail[]>
  /** Lists the states of a tenant's messages of the last 7 days, the newest first. */
  find(tenantId: string, query: MessageQuery): Promise<QueuedMessage[]>
  get(tenantId: string, id: string): Promise<QueuedMessage | undefined>
  /**
   * The language in the link of a message; `undefined` if the content is no longer stored, or the
   * link has no language.
   */
  languageOf(queued: QueuedMessage): Language | undefined
  /** Resolves when every due message has been tried. */
  idle(): Promise<void>
  /** Closes the connections to the mail server, and breaks off attempts in progress. */
  close(): void
}

/** The kind of a message, and the id of its user, if there is one. */
export interface MailSubject {
  kind: MailKind
  userId?: string | undefined
}

export interface OutboxOptions {
  domain: DomainContext
  protocol: ProtocolStore
  /** The transport to the mail server; without it, all mail is captured. */
  transport: MailTransport | undefined
  background: Background
  logger: {
    warn(facts: object, message: string): void
    error(facts: object, message: string): void
  }
}

/** The pauses between attempts, in seconds. The last pause repeats. */
const BACKOFF_SECONDS = [15, 60, 300, 900, 3600]

/** After this time, a message that cannot be sent is given up. Its link has already expired. */
const GIVE_UP_SECONDS = 86_400

/** After this time, another process sends the message of a process that has died. */
const LEASE_SECONDS = 60

/** The time between two checks of the queue, for a single process and for several processes. */
const POLL_MS = 5_000
const SHARED_POLL_MS = 1_000

/**
 * The number of messages to send at a time. The transport has as many connections. A small number
 * limits the messages that are sent twice after a crash.
 */
const AT_ONCE = 2

/** Creates the outbox, and starts sending. */
export function createOutbox(options: OutboxOptions): Outbox {
  const { domain, protocol, transport, logger, background } = options
  const { mail } = protocol
  const worker =
    transport &&
    background.work<ClaimedMessage>('mail', {
      queue: messagesOf(mail, BACKOFF_SECONDS),
      leaseSeconds: LEASE_SECONDS,
      atOnce: AT_ONCE,
      pollMs: isShared(domain) ? SHARED_POLL_MS : POLL_MS,
      attempt: (queued) => {
        const kind = { 'latchkey.mail.kind': queued.kind ?? 'none' }
        return inOwnTrace('latchkey.mail.send', kind, () => attempt(queued))
      },
    })
  const attempt = sending({
    queue: mail,
    backoffSeconds: BACKOFF_SECONDS,
    giveUpSeconds: GIVE_UP_SECONDS,
    isFinal,
    answerIn,
    open,
    async send(queued, message) {
      const { to } = message
      if (to === undefined) return () => mail.remove(queued.id)
      await transport?.send({ ...message, to })
      count('mails', { outcome: 'sent' })
      // The content is deleted when the message ends, because its link can open an account.
      return () => ended(queued, 'sent', () => persistently(() => mail.end(queued.id, 'sent')))
    },
    onRetry(queued, _, error) {
      logger.warn(factsOf(queued, error), 'A message could not be sent; it will be tried again.')
      count('mails', { outcome: 'failed' })
    },
    async onGivenUp(queued, _, error) {
      const { id, tenantId } = queued
      logger.error(factsOf(queued, error), 'A message was given up.')
      count('mails', { outcome: 'given_up' })
      const scope = { context: domain, actor: { name: 'service' }, tenantId }
      await note(scope, 'mail.given_up', id, 'failure')
      await ended(queued, 'given_up', () => mail.end(id, 'given_up', answerIn(error)))
    },
  })

  /** Ends a message, and counts it unless another process has ended it. */
  async function ended(
    { tenantId }: ClaimedMessage,
    outcome: MessageOutcome,
    end: () => Promise<boolean>,
  ): Promise<void> {
    if (await end()) await persistently(() => countMail(domain, tenantId, outcome))
  }

  function open(queued: QueuedMessage): MailMessage {
    return JSON.parse(domain.vault.open(purpose(queued.id), queued.sealed)) as MailMessage
  }

  return {
    sends: transport !== undefined,

    async post(tenant, message, { kind, userId }) {
      const id = randomUUID()
      const isCaptured = !transport || opensDeveloperMode(domain, tenant)
      const queued = await mail.add({
        id,
        tenantId: tenant.id,
        isCaptured,
        // The message is sealed, because its link can open an account.
        sealed: domain.vault.seal(purpose(id), JSON.stringify(message)),
        // A message without a recipient gets no kind, so it appears in no list.
        ...(message.to !== undefined && { kind, userId }),
      })
      if (!isCaptured) setImmediate(() => worker?.wake())
      return queued
    },

    find: mail.find,
    get: mail.get,

    languageOf(queued) {
      const link = queued.sealed === '' ? undefined : open(queued).link
      const locale = link && new URL(link).searchParams.get('ui_locales')
      return locale ? chooseLanguage(locale, undefined) : undefined
    },

    async list(tenantId) {
      const queued = await mail.list(tenantId, 100)
      return queued
        .map((item) => ({ ...open(item), at: Math.floor(item.createdAt / 1000) }))
        .filter((message): message is CapturedMail => message.to !== undefined)
    },

    idle: async () => worker?.idle(),

    close: () => transport?.close(),
  }
}

function factsOf({ id, tenantId }: ClaimedMessage, error: unknown): object {
  return { mail: id, tenantId, reason: codesOf(error) }
}

/**
 * Seals a message under the newest master key; `undefined` if the message is already sealed under
 * that key.
 */
export function resealMail(vault: Vault, id: string, sealed: string): string | undefined {
  return vault.reseal(purpose(id), sealed)
}

function purpose(id: string): string {
  return `mail:${id}`
}
