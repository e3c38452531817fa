import { z } from 'zod'
import { ServiceError } from '../domain/writes/errors.ts'
import { reason } from '../domain/writes/reasons/index.ts'

/** Encodes a position in a list as the value of `after`, which clients send back unchanged. */
export function encodePlace(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/**
 * Decodes a position that {@link encodePlace} has encoded; `undefined` without `after`.
 *
 * @throws ServiceError `invalid_request` for a text that is no position of this schema.
 */
export function decodePlace<S extends z.ZodType>(
  after: string | undefined,
  schema: S,
): z.output<S> | undefined {
  if (after === undefined) return undefined
  try {
    return schema.parse(JSON.parse(Buffer.from(after, 'base64url').toString()))
  } catch {
    throw new ServiceError('invalid_request', reason('query_after_place'))
  }
}

/**
 * The schema of the position of an item in a list that is sorted by time. `key` is the id of the
 * item.
 */
export const timedPlace: z.ZodObject<{ at: z.ZodInt; key: z.ZodString }> = z.object({
  at: z.int().nonnegative(),
  key: z.string().max(200),
})

/**
 * Makes one page of a list that was read as a whole, the newest item first. `next` is the `after`
 * of the next page; `undefined` on the last page. The page after a position can be read even if the
 * item at the position no longer exists.
 *
 * @param at - Returns the time of an item. Items of the same time are in the order of their ids.
 * @throws ServiceError `invalid_request` for an `after` that is no position.
 */
export function timedPage<T extends { id: string }>(
  all: readonly T[],
  at: (item: T) => number,
  { after, limit }: { after: string | undefined; limit: number },
): { items: T[]; next: string | undefined } {
  const place = decodePlace(after, timedPlace)
  const isBehind = (item: T) =>
    !place || at(item) < place.at || (at(item) === place.at && item.id > place.key)
  const left = all.toSorted((a, b) => at(b) - at(a) || (a.id < b.id ? -1 : 1)).filter(isBehind)
  const items = left.slice(0, limit)
  const last = left.length > limit ? items.at(-1) : undefined
  return { items, next: last && encodePlace({ at: at(last), key: last.id }) }
}
