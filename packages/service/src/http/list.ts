import type { z } from 'zod'
import { ServiceError } from '../domain/writes/errors.ts'
import { credentialIdPattern, idPattern } from '../domain/writes/ids.ts'
import { nearestName } from '../domain/writes/nearest-name.ts'
import { reason } from '../domain/writes/reasons/index.ts'
import type { Listing, Page } from '../store/ports.ts'
import { sentencesOf } from '../wire/sentences.ts'
import type { ResourceName } from './route.ts'

/** The maximum size of a page, which is also the default. */
export const MAX_LIMIT = 100

const idPatterns: Partial<Record<ResourceName, RegExp>> = {
  Tenant: idPattern('ten'),
  Application: idPattern('app'),
  User: idPattern('usr'),
  Credential: credentialIdPattern,
  Webhook: idPattern('whk'),
}

/** The query parameters of every list. */
const pageNames = ['limit', 'after']

/**
 * The page that a list request asks for: `limit` from 1 to 100, and `after`, the id of the last
 * item seen. Other parameters are refused, because a client that sends `offset` would read the
 * first page again and again.
 *
 * @throws ServiceError `invalid_request` for an invalid or unknown parameter.
 */
export function parsePage(url: string, resource: ResourceName): Page {
  const { after, limit } = queryOf(url, pageNames)
  if (after !== undefined && !idPatterns[resource]?.test(after)) {
    throw new ServiceError('invalid_request', reason('query_after_id'))
  }
  return { after, limit: limitOf(limit) }
}

/**
 * The page and the filters that a request for a filtered list asks for. `given` has the filters as
 * they were sent.
 *
 * @throws ServiceError `invalid_request` for an invalid or unknown parameter.
 */
export function parseQuery<S extends z.ZodObject>(
  url: string,
  filters: S,
): { page: Page; filter: z.output<S>; given: Record<string, string> } {
  const { after, limit, ...given } = queryOf(url, [...Object.keys(filters.shape), ...pageNames])
  const result = filters.safeParse(given)
  if (!result.success) {
    throw new ServiceError('invalid_request', sentencesOf(result.error.issues, given))
  }
  return { page: { after, limit: limitOf(limit) }, filter: result.data, given }
}

/** The query parameters of a request. Unknown and repeated parameters are refused. */
function queryOf(url: string, known: readonly string[]): Record<string, string> {
  const start = url.indexOf('?')
  if (start < 0) return {}

  const query = new URLSearchParams(url.slice(start + 1))
  const names = [...new Set(query.keys())]
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    const nearest = unknown.length === 1 && nearestName(unknown[0] as string, known)
    const found = unknown.map((name) => `"${name}"`).join(', ')
    const because = nearest
      ? reason('query_unknown_nearest', { found, nearest })
      : reason('query_unknown', { found, known: listed(known) })
    throw new ServiceError('invalid_request', because)
  }
  const repeated = names.find((name) => query.getAll(name).length > 1)
  if (repeated !== undefined) {
    throw new ServiceError('invalid_request', reason('query_twice', { name: repeated }))
  }
  return Object.fromEntries(query)
}

/** The names in quotes, as a list in a sentence: `"a", "b", and "c"`. */
function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en').format(names.map((name) => `"${name}"`))
}

function limitOf(limit: string | undefined): number {
  if (limit === undefined) return MAX_LIMIT
  if (/^\d{1,3}$/.test(limit) && +limit >= 1 && +limit <= MAX_LIMIT) return Number(limit)
  throw new ServiceError('invalid_request', reason('query_limit', { most: MAX_LIMIT }))
}

/** The List object of a page. */
export function listBody<T>(
  listing: Listing<T>,
  limit: number,
  serialize: (item: T) => unknown,
): object {
  const data = listing.items.map(serialize)
  return { type: 'List', total: listing.total, count: data.length, limit, data }
}

/**
 * The value of the `Link` header with the relative URL of the next page.
 *
 * @param given - The filters of the request.
 */
export function nextLink(
  path: string,
  { limit }: Page,
  after: string,
  given: Record<string, string> = {},
): string {
  const query = new URLSearchParams({ ...given, limit: String(limit), after })
  return `<${path}?${query}>; rel="next"`
}
