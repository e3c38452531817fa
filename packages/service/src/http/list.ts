import { ServiceError } from '../domain/errors.ts'
import { credentialIdPattern, idPattern } from '../domain/ids.ts'
import type { Listing, Page } from '../store/ports.ts'
import type { ResourceName } from './route.ts'

/** The largest page, and the one that is answered when nothing else is asked for. */
export const MAX_LIMIT = 100

const idPatterns: Partial<Record<ResourceName, RegExp>> = {
  Tenant: idPattern('ten'),
  Application: idPattern('app'),
  User: idPattern('usr'),
  Credential: credentialIdPattern,
}

/**
 * The page that a list request asks for: `limit` from 1 to 100, and `after`, the id of the last item
 * seen. Other parameters are refused: a client that sends `offset` would read the first page for ever.
 *
 * @throws ServiceError `invalid_request`.
 */
export function parsePage(url: string, resource: ResourceName): Page {
  const start = url.indexOf('?')
  if (start < 0) return { after: undefined, limit: MAX_LIMIT }

  const query = new URLSearchParams(url.slice(start + 1))
  const unknown = [...new Set(query.keys())].filter((name) => name !== 'limit' && name !== 'after')
  if (unknown.length > 0) {
    const names = unknown.map((name) => `"${name}"`).join(', ')
    throw new ServiceError(
      'invalid_request',
      `A list has no query parameter ${names}; it has "limit" and "after".`,
    )
  }
  const [limit, ...moreLimits] = query.getAll('limit')
  const [after, ...moreAfter] = query.getAll('after')
  if (moreLimits.length > 0 || moreAfter.length > 0) {
    throw new ServiceError('invalid_request', '"limit" and "after" may stand in a query once each.')
  }
  if (limit !== undefined && !(/^\d{1,3}$/.test(limit) && +limit >= 1 && +limit <= MAX_LIMIT)) {
    throw new ServiceError(
      'invalid_request',
      `"limit" must be a whole number from 1 to ${MAX_LIMIT}.`,
    )
  }
  if (after !== undefined && !idPatterns[resource]?.test(after)) {
    throw new ServiceError(
      'invalid_request',
      '"after" must be the id of the last item of the page before; "link" has the address of the next page.',
    )
  }
  return { after, limit: limit === undefined ? MAX_LIMIT : Number(limit) }
}

/** The List object of a page. */
export function listBody<T>(
  listing: Listing<T>,
  limit: number,
  serialise: (item: T) => unknown,
): object {
  const data = listing.items.map(serialise)
  return { type: 'List', total: listing.total, count: data.length, limit, data }
}

/** The value of `Link` that leads to the next page, relative to the request. */
export function nextLink(path: string, page: Page, lastId: string): string {
  const query = new URLSearchParams({ limit: String(page.limit), after: lastId })
  return `<${path}?${query}>; rel="next"`
}
