import type { Background } from '../background/index.ts'
import type { DomainContext } from '../domain/writes/context.ts'
import type { MissedEvents, NewDelivery } from '../store/deliveries.ts'
import type { StoredAuditEntry, Webhook } from '../store/records.ts'
import type { DeliveringOptions } from './deliver.ts'

interface MissedOptions {
  domain: DomainContext
  background: Background
  logger: Pick<DeliveringOptions['logger'], 'warn'>
  deliveriesOf(webhook: Webhook, entry: StoredAuditEntry): NewDelivery[]
  /** Called when events were queued. */
  onQueued(): void
}

/** The time between two searches for endpoints whose missed events are not completely queued. */
const LOOK_EVERY_MS = 60_000

/** The number of entries of the audit log to read at a time. */
const BATCH = 200

/**
 * Queues the events that endpoints missed while they were switched off. The events are read from
 * the audit log, unless they were pruned there. An event that was already queued stays unchanged.
 *
 * @returns A function that searches now, for an endpoint that was just switched on.
 */
export function makeUpForMissed(options: MissedOptions): () => void {
  const { domain, background, logger, deliveriesOf, onQueued } = options
  const { audit, deliveries } = domain.store

  async function makeUp(missed: MissedEvents, isClosed: () => boolean): Promise<void> {
    const { webhook } = missed
    // Entries after this end are queued as they happen, because the endpoint is on.
    const end = await audit.last()
    if ((await audit.oldestUnless(missed.from)) !== undefined) {
      logger.warn(
        { tenantId: webhook.tenantId, webhook: webhook.id },
        'An endpoint was switched on after some events of the time before were pruned; it does not get these.',
      )
    }
    for (let { from } = missed; !isClosed(); ) {
      const { entries, readTo } = await audit.afterOf(webhook.tenantId, from, BATCH)
      const queued = entries.flatMap((entry) => deliveriesOf(webhook, entry))
      await deliveries.add(queued)
      if (queued.length > 0) onQueued()
      const isEnd = entries.length < BATCH
      const to = isEnd && readTo >= end ? undefined : readTo
      if (!(await deliveries.madeUp({ webhook, from }, to)) || isEnd) return
      from = readTo
    }
  }

  const looking = background.every(LOOK_EVERY_MS, 'missed events', async (isClosed) => {
    for (const missed of await deliveries.missed()) await makeUp(missed, isClosed)
  })
  const wake = () => void looking.wake()
  wake()
  return wake
}
