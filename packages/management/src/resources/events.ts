import { readPage } from '../list.ts'
import type { Json, Send } from '../request.ts'
import type { TenantEvent } from '../types.ts'
import { segment } from './resource.ts'

/** Which events to read. */
export interface EventQuery {
  /** The `sequence` of the last event that was read. Default: from the beginning of the log. */
  after?: number | undefined
  /** Default: all but `login.succeeded` and `login.failed`. */
  types?: readonly string[] | undefined
}

/**
 * The events of a tenant, in their order.
 *
 * Both throw a {@link PlaceGoneError} when events behind `after` are gone.
 */
export interface Events {
  /** Reads what there is. */
  list(query?: EventQuery): AsyncGenerator<TenantEvent, void, undefined>
  /**
   * Reads what there is, and further events as they happen, until the iteration is left. Keep the `sequence` of the
   * last event that you have processed: an event comes again to who begins before it.
   */
  follow(query?: EventQuery): AsyncGenerator<TenantEvent, never, undefined>
}

/** How long the service waits for an event, in seconds: shorter than a request may take. */
const WAIT_SECONDS = 15

export function createEvents(send: Send, tenantId: string): Events {
  const path = `/x/v1/tenants/${segment(tenantId)}/events`
  const asEvent = (json: Json) => json as unknown as TenantEvent

  /** Pages for ever; one is empty where the reader has come to the end. */
  async function* pages(
    { after, types = [] }: EventQuery,
    wait: number,
  ): AsyncGenerator<TenantEvent[], never, undefined> {
    let query = new URLSearchParams()
    if (types.length > 0) query.set('types', types.join(','))
    if (wait > 0) query.set('wait', String(wait))
    if (after !== undefined) query.set('after', String(after))
    for (;;) {
      const { data, next = query } = await readPage(send, path, query, asEvent)
      query = next
      yield data
    }
  }

  return {
    async *list(query = {}) {
      for await (const page of pages(query, 0)) {
        if (page.length === 0) return
        yield* page
      }
    },
    async *follow(query = {}) {
      for await (const page of pages(query, WAIT_SECONDS)) yield* page
      throw new Error('There is no last page.')
    },
  }
}
