import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DomainContext } from '../domain/writes/context.ts'
import { ServiceError } from '../domain/writes/errors.ts'
import { reason } from '../domain/writes/reasons/index.ts'
import { eventsOf, isWanted, type ServiceEvent } from './events.ts'

/** A reader's request for events. */
export interface EventQuery {
  tenantId: string
  /** The `sequence` of the last event that the reader has read. */
  after: number
  /** The event types to read. An empty list means all except those that must be named. */
  types: readonly string[]
  limit: number
  /** The maximum time to wait for an event if no event follows `after` yet, in seconds. */
  waitSeconds: number
  /** Whether the reader has disconnected. */
  isAbandoned(): boolean
}

/** Events of a tenant, in order, and the position after them. */
export interface EventPage {
  events: ServiceEvent[]
  /** The `after` of the next request. */
  next: number
}

/** A reader of events, for clients that poll. */
export interface EventReader {
  /**
   * Reads a page of events. If no event follows `after` yet, waits for up to `waitSeconds`.
   *
   * @throws ServiceError `place_gone` when the log no longer has all entries after `after`.
   */
  read(query: EventQuery): Promise<EventPage>
  /** Answers all waiting readers at once. */
  close(): void
}

/** The number of entries to read at a time, and the maximum for one response. */
const BATCH = 200
const MAX_READ = 10_000

/** The interval, in milliseconds, at which waiting readers look for entries of other processes. */
const POLL_MS = 500

/**
 * The number of readers of a tenant that can wait at a time. Further readers are answered at once.
 */
const MAX_WAITING = 20

/**
 * Creates a reader of the events in the audit log. An event is returned only when all earlier
 * events of its tenant are visible.
 */
export function createEventReader({ store, events }: DomainContext): EventReader {
  const closed = new AbortController()
  const waiting = new Map<string, number>()
  // This separate emitter has an event for each tenant, and a listener for each waiting reader.
  // Node would report so many listeners of `events` as a leak.
  const changes = new EventEmitter().setMaxListeners(0)
  events.on('change', ({ tenantId }) => tenantId !== undefined && changes.emit(tenantId))

  async function look(query: EventQuery): Promise<EventPage & { isEnd: boolean }> {
    const { tenantId, types, limit } = query
    const found: ServiceEvent[] = []
    let next = query.after
    for (let read = 0; read < MAX_READ; ) {
      const { entries, readTo } = await store.audit.afterOf(tenantId, next, BATCH)
      read += entries.length
      for (const entry of entries) {
        const of = eventsOf(entry).filter((event) => isWanted(types, event))
        // Both events of an entry are returned, or none, because the reader continues after the
        // entry.
        if (found.length > 0 && found.length + of.length > limit) {
          return { events: found, next, isEnd: false }
        }
        found.push(...of)
        next = entry.id
      }
      if (entries.length < BATCH) return { events: found, next: readTo, isEnd: true }
    }
    return { events: found, next, isEnd: false }
  }

  async function checkPlace(after: number): Promise<void> {
    const oldestPlace = await store.audit.oldestUnless(after)
    if (oldestPlace === undefined) return
    throw new ServiceError(
      'place_gone',
      reason('query_place_gone', { after, oldest: oldestPlace }),
      { oldestPlace },
    )
  }

  /** Resolves when the tenant may have new entries, or after `ms` milliseconds. */
  async function change(tenantId: string, ms: number): Promise<void> {
    const wake = new AbortController()
    const signal = AbortSignal.any([wake.signal, closed.signal])
    const onChange = () => wake.abort()
    changes.on(tenantId, onChange)
    try {
      await sleep(Math.min(ms, POLL_MS), undefined, { signal })
    } catch {
      // Stops waiting: an entry was written, or the service closes.
    } finally {
      changes.off(tenantId, onChange)
    }
  }

  async function wait(query: EventQuery, until: number): Promise<EventPage> {
    let { after } = query
    for (;;) {
      const left = until - performance.now()
      if (left <= 0 || closed.signal.aborted || query.isAbandoned()) break
      await change(query.tenantId, left)
      if (!(store.audit.mayFollow?.(after) ?? true)) continue
      const page = await look({ ...query, after })
      if (page.events.length > 0) return page
      after = page.next
    }
    return { events: [], next: after }
  }

  return {
    async read(query) {
      const until = performance.now() + query.waitSeconds * 1000
      const page = await look(query)
      // The check comes after the read, so that no entry is pruned in between. `after: 0` needs no
      // check: it means the beginning of the log.
      if (query.after > 0) await checkPlace(query.after)
      const count = waiting.get(query.tenantId) ?? 0
      if (page.events.length > 0 || !page.isEnd || query.waitSeconds === 0) return page
      if (count >= MAX_WAITING) return page
      waiting.set(query.tenantId, count + 1)
      try {
        return await wait({ ...query, after: page.next }, until)
      } finally {
        const others = (waiting.get(query.tenantId) ?? 1) - 1
        if (others > 0) waiting.set(query.tenantId, others)
        else waiting.delete(query.tenantId)
      }
    },
    close: () => closed.abort(),
  }
}
