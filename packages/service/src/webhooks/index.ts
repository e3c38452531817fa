import type { Background } from '../background/index.ts'
import { type DomainContext, nowMicros, type Scope } from '../domain/writes/context.ts'
import { found, ServiceError } from '../domain/writes/errors.ts'
import { followLog } from '../domain/writes/follow-log.ts'
import { eventId } from '../domain/writes/ids.ts'
import { reason } from '../domain/writes/reasons/index.ts'
import { createOutgoing } from '../egress/outgoing.ts'
import { LOG_SHARDS, WEBHOOKS } from '../store/cursors.ts'
import type { Delivery, DeliveryState, NewDelivery } from '../store/deliveries.ts'
import type { Micros, StoredAuditEntry, Webhook } from '../store/records.ts'
import { attempt, isAccepted, type WebhookAnswer } from './attempt.ts'
import { type DeliveringOptions, startDelivering } from './deliver.ts'
import { eventsOf, isWanted, type ServiceEvent } from './events.ts'
import { makeUpForMissed } from './missed.ts'
import { createEventReader, type EventPage, type EventQuery } from './pull.ts'
import {
  checkTypes,
  createWebhook,
  getWebhook,
  secretsOf,
  updateWebhook,
  type WebhookInput,
  type WebhookWithSecret,
} from './rules.ts'

/** The operations on the endpoints of customers, and on events. */
export interface Webhooks {
  /**
   * Creates an endpoint.
   *
   * @param form - The name of the form that makes the endpoint, if any. A form makes one endpoint.
   */
  create(scope: Scope, input: WebhookInput, form?: string): Promise<WebhookWithSecret>
  update(scope: Scope, id: string, input: WebhookInput, readAt?: Micros): Promise<Webhook>
  /** Sends a test event to an endpoint now, even if the endpoint is switched off. */
  test(scope: Scope, id: string): Promise<WebhookAnswer & { isAccepted: boolean }>
  /**
   * Sends the events of a period to an endpoint again.
   *
   * @throws ServiceError `conflict` if the endpoint is switched off.
   */
  replay(scope: Scope, id: string, range: Range): Promise<Replay>
  /** The deliveries of the last 30 days to an endpoint, the newest first. */
  deliveries(scope: Scope, id: string, query: DeliveryQuery): Promise<Delivery[]>
  /** Sends an event to an endpoint again. */
  sendAgain(scope: Scope, id: string, deliveryId: number): Promise<Delivery>
  /**
   * The events of a tenant, in order.
   *
   * @throws ServiceError `invalid_request` for an unknown type; otherwise like `EventReader.read`.
   */
  read(scope: Scope, query: Omit<EventQuery, 'tenantId'>): Promise<EventPage>
  /** Answers all readers that wait for events. Later readers do not wait. */
  stopWaiting(): void
  /** Resolves when the audit log is read and every due delivery was tried. */
  idle(): Promise<void>
  /** Closes the connections to endpoints, and breaks off requests in progress. */
  close(): Promise<void>
}

/** A period, which includes `from` and excludes `to`. */
export interface Range {
  from: Micros
  to: Micros
}

/** The result of a replay. */
export interface Replay {
  /** The number of events that were queued again. */
  events: number
  /** The `from` of the next request, if there were too many events for one. */
  from: Micros | undefined
}

/** A filter of deliveries. */
export interface DeliveryQuery {
  state?: DeliveryState | undefined
  /**
   * The id of the last delivery of the previous page; the page begins with the next older delivery.
   * `undefined` for the first page.
   */
  before: number | undefined
  limit: number
}

export interface WebhookOptions {
  domain: DomainContext
  background: Background
  logger: DeliveringOptions['logger']
  allowHttpOnLoopback: boolean
  onDisabled: DeliveringOptions['onDisabled']
}

/** The timeout of a request to an endpoint, in milliseconds. */
const TIMEOUT_MS = 15_000

/** The maximum number of tenants without an endpoint that a process remembers. */
const MAX_SILENT = 10_000

/** The time between two removals of old deliveries. */
const PRUNE_EVERY_MS = 24 * 60 * 60 * 1_000

/** The number of entries of the audit log that one replay reads, in total and at a time. */
const REPLAY_ENTRIES = 10_000
const REPLAY_BATCH = 500

/** Creates the webhooks of a service. Starts to read the audit log and to send events. */
export function createWebhooks(options: WebhookOptions): Webhooks {
  const { domain, background, allowHttpOnLoopback } = options
  const { store } = domain
  const outgoing = createOutgoing({ domain, allowHttpOnLoopback, timeoutMs: TIMEOUT_MS })
  const context = { domain, outgoing }
  const reader = createEventReader(domain)
  const delivering = startDelivering({ ...options, outgoing })
  /** The tenants that had no endpoint lately. Their changes may wait for some seconds. */
  const silent = new Set<string>()

  async function act(entries: readonly StoredAuditEntry[]): Promise<void> {
    const tenantIds = new Set(entries.flatMap(({ tenantId }) => tenantId ?? []))
    // The endpoints are read now and not cached, because an event right after the creation of its
    // endpoint must not be missed.
    const on = (await store.webhooks.ofTenants([...tenantIds])).filter(({ disabled }) => !disabled)
    const byTenant = Map.groupBy(on, ({ tenantId }) => tenantId)
    if (silent.size > MAX_SILENT) silent.clear()
    for (const id of tenantIds) byTenant.has(id) ? silent.delete(id) : silent.add(id)
    const queued = entries.flatMap((entry) =>
      (byTenant.get(entry.tenantId ?? '') ?? []).flatMap((webhook) => deliveriesOf(webhook, entry)),
    )
    if (queued.length === 0) return
    await store.deliveries.add(queued)
    delivering.wake()
  }

  const pruning = background.every(PRUNE_EVERY_MS, 'pruning deliveries', () =>
    store.deliveries.prune(),
  )
  void pruning.wake()

  const following = followLog(domain, background, {
    name: WEBHOOKS,
    // The work is quick. The fewer processes share it, the more entries each statement has.
    shardsAtOnce: LOG_SHARDS,
    act,
    isUrgent: ({ tenantId = '', action }) => !silent.has(tenantId) || action.startsWith('webhook.'),
  })

  const makeUp = makeUpForMissed({
    ...{ domain, background, logger: options.logger, deliveriesOf },
    onQueued: () => delivering.wake(),
  })

  return {
    create: (scope, input, form) => createWebhook(context, scope, input, form),

    async update(scope, id, input, readAt) {
      const webhook = await updateWebhook(context, scope, id, input, readAt)
      if (!webhook.disabled) {
        makeUp()
        delivering.wake()
      }
      return webhook
    },

    async test(scope, id) {
      const webhook = await getWebhook(scope, id)
      const sender = { outgoing, secrets: secretsOf(domain, webhook) }
      const answer = await attempt(sender, webhook, testOf(scope, webhook))
      if (!answer) throw new ServiceError('unavailable', reason('service_closing'))
      return { ...answer, isAccepted: isAccepted(answer) }
    },

    async replay(scope, id, range) {
      const webhook = await getWebhook(scope, id)
      if (webhook.disabled) {
        throw new ServiceError('conflict', reason('webhook_off'))
      }
      const replay = await replayTo(scope, webhook, range)
      delivering.wake()
      return replay
    },

    async deliveries(scope, id, query) {
      await getWebhook(scope, id)
      return store.deliveries.list(id, query)
    },

    async sendAgain(scope, id, deliveryId) {
      await getWebhook(scope, id)
      await store.deliveries.addAgain([found(await store.deliveries.get(id, deliveryId))])
      delivering.wake()
      return found(await store.deliveries.get(id, deliveryId))
    },

    read(scope, query) {
      checkTypes(query.types)
      return reader.read({ ...query, tenantId: scope.tenantId })
    },
    stopWaiting: reader.close,

    async idle() {
      await following.idle()
      await delivering.idle()
    },

    close: outgoing.close,
  }
}

function deliveriesOf({ id: webhookId, types }: Webhook, entry: StoredAuditEntry): NewDelivery[] {
  return eventsOf(entry)
    .filter((event) => isWanted(types, event))
    .map((event) => ({
      ...{ webhookId, eventId: event.id, type: event.type, body: bodyOf(event) },
      entry,
    }))
}

function bodyOf(event: ServiceEvent): string {
  return JSON.stringify(event)
}

function testOf({ context, actor }: Scope, { id, tenantId }: Webhook) {
  const now = nowMicros(context.clock)
  const event: ServiceEvent = {
    id: eventId(tenantId, now, 'webhook.test'),
    type: 'webhook.test',
    timestamp: new Date(now / 1000).toISOString(),
    data: { type: 'Webhook', id, tenant_id: tenantId, actor: actor.name, sequence: 0 },
  }
  return { eventId: event.id, body: bodyOf(event) }
}

/** Queues the events of a period, the oldest first, up to the maximum of one request. */
async function replayTo(
  { context: { store }, tenantId }: Scope,
  webhook: Webhook,
  { from, to }: Range,
): Promise<Replay> {
  let count = 0
  let after = { at: from - 1, id: Number.MAX_SAFE_INTEGER }
  for (let read = 0; read < REPLAY_ENTRIES; read += REPLAY_BATCH) {
    const entries = await store.audit.between(tenantId, after, to, REPLAY_BATCH)
    const queued = entries.flatMap((entry) => deliveriesOf(webhook, entry))
    await store.deliveries.addAgain(queued)
    count += queued.length
    if (entries.length < REPLAY_BATCH) return { events: count, from: undefined }
    after = entries.at(-1) as StoredAuditEntry
  }
  return { events: count, from: after.at }
}
