import { ConnectionError, ServerError } from '../errors.ts'
import { readPage } from '../list.ts'
import { pause } from '../pause.ts'
import type { Json, Send } from '../request.ts'
import type { TenantEvent } from '../types.ts'
import { segment } from './resource.ts'

/** A filter of events. */
export interface EventQuery {
  /**
   * The `sequence` of the last event that you have read. Default: the log is read from its
   * beginning.
   */
  after?: number | undefined
  /** The event types to read. Default: all except `login.succeeded` and `login.failed`. */
  types?: readonly string[] | undefined
}

/** The options for following events. */
export interface FollowQuery extends EventQuery {
  /**
   * Stops following when aborted, also while the service waits for a new event. The loop then
   * throws the reason of the signal.
   */
  signal?: AbortSignal | undefined
  /**
   * Called once for each outage that the loop outlasts, with the first error. Default: the loop
   * waits without a word.
   */
  onOutage?: ((error: ConnectionError | ServerError) => void) | undefined
}

/**
 * The events of a tenant, in order.
 *
 * Both methods throw a {@link PlaceGoneError} if events after `after` no longer exist.
 */
export interface Events {
  /** Reads the events that exist now. */
  list(query?: EventQuery): AsyncGenerator<TenantEvent, void, undefined>
  /**
   * Reads the existing events and then each new event, until you leave the loop, or `signal` is
   * aborted. Store the
   * `sequence` of the last event that you have processed, and pass it as `after` when you start
   * again.
   *
   * The first response must arrive. After it, the loop outlasts a service that cannot be reached or
   * answers with 5xx, such as during a restart: it asks again after pauses of 1 s to 30 s, and misses
   * no event. Other errors are thrown, such as that of a revoked API key.
   *
   * The service waits for a new event for at most half of `timeoutSeconds`, and at most 15 s. If
   * that is less than a second, the service does not wait, and is asked every second.
   */
  follow(query?: FollowQuery): AsyncGenerator<TenantEvent, never, undefined>
}

/** The longest time for which the service waits for a new event, in seconds. */
const WAIT_SECONDS = 15

/** The pause after an empty page, if the service does not wait, in seconds. */
const PAUSE_SECONDS = 1

/** The longest pause before the next request, while the service fails, in seconds. */
const LONGEST_PAUSE_SECONDS = 30

export function createEvents(send: Send, tenantId: string, timeoutSeconds: number): Events {
  const path = `/x/v1/tenants/${segment(tenantId)}/events`
  const asEvent = (json: Json) => json as unknown as TenantEvent

  const read = (query: URLSearchParams, signal?: AbortSignal) =>
    readPage(send, path, query, asEvent, signal)

  /** Reads a page. While the service fails, asks again after a pause. */
  async function readAtLast(
    query: URLSearchParams,
    { signal, onOutage }: Pick<FollowQuery, 'signal' | 'onOutage'>,
  ) {
    for (let seconds = PAUSE_SECONDS; ; seconds = Math.min(seconds * 2, LONGEST_PAUSE_SECONDS)) {
      try {
        return await read(query, signal)
      } catch (error) {
        signal?.throwIfAborted()
        if (!isOutage(error)) throw error
        if (seconds === PAUSE_SECONDS) onOutage?.(error)
        await pause(seconds, signal)
      }
    }
  }

  /**
   * Yields pages of events without end. A page is empty if there are no newer events yet.
   *
   * @param readNext - Reads the pages after the first one.
   */
  async function* pages(
    { after, types = [], signal }: FollowQuery,
    wait: number,
    readNext: typeof read,
  ): AsyncGenerator<TenantEvent[], never, undefined> {
    let readOne = read
    let query = new URLSearchParams()
    if (types.length > 0) query.set('types', types.join(','))
    if (wait > 0) query.set('wait', String(wait))
    if (after !== undefined) query.set('after', String(after))
    for (;;) {
      signal?.throwIfAborted()
      const { data, next } = await readOne(query, signal)
      readOne = readNext
      query = next ?? queryAfter(query, data.at(-1))
      yield data
    }
  }

  return {
    async *list(query = {}) {
      const { after, types } = query
      for await (const page of pages({ after, types }, 0, read)) {
        if (page.length === 0) return
        yield* page
      }
    },
    async *follow(query = {}) {
      const wait = Math.min(WAIT_SECONDS, Math.floor(timeoutSeconds / 2))
      const readNext = (next: URLSearchParams) => readAtLast(next, query)
      for await (const page of pages(query, wait, readNext)) {
        for (const event of page) {
          query.signal?.throwIfAborted()
          yield event
        }
        if (wait === 0 && page.length === 0) await pause(PAUSE_SECONDS, query.signal)
      }
      throw new Error('There is no last page.')
    },
  }
}

/** Whether the service could not be reached, or answered with 5xx. */
function isOutage(error: unknown): error is ConnectionError | ServerError {
  return error instanceof ConnectionError || (error instanceof ServerError && error.status >= 500)
}

/**
 * The query of the events after the last one that was read, for a server or proxy that sends no
 * `Link` header. Otherwise, the same events would be read again and again.
 */
function queryAfter(query: URLSearchParams, last: TenantEvent | undefined): URLSearchParams {
  if (!last) return query
  const next = new URLSearchParams(query)
  next.set('after', String(last.data.sequence))
  return next
}
