import type { Listing, Page } from './ports.ts'
import type { Credential } from './records.ts'

/**
 * One page of a user's credentials, sorted by time of creation, because their ids have another
 * order. If no credential has the id `after`, the page is empty.
 */
export function pageOfCredentials(
  all: readonly Credential[],
  { after, limit }: Page,
): Listing<Credential> {
  const ordered = all.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  const last = ordered.findIndex(({ id }) => id === after)
  const following = after !== undefined && last < 0 ? [] : ordered.slice(last + 1)
  return {
    total: all.length,
    items: following.slice(0, limit),
    more: following.length > limit,
  }
}
