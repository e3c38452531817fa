import type { z } from 'zod'
import { ServiceError } from '../domain/writes/errors.ts'
import { reason } from '../domain/writes/reasons/index.ts'

/** A place in a list as `after` has it; clients send it back as it is. */
export function encodePlace(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/**
 * A place that {@link encodePlace} wrote.
 *
 * @throws ServiceError `invalid_request` for anything else.
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
