import type { Listing } from '../ports.ts'

/** A row of a page beside the total of the list; where the page is empty, the total stands alone. */
type ListedRow<R> = { total: number } & { [K in keyof R]: R[K] | null }

/** The page that `rows`, read with one more than `limit`, make. */
export function listingOf<R extends { id: string }, T>(
  rows: ListedRow<R>[],
  limit: number,
  fromRow: (row: R) => T,
): Listing<T> {
  const found = rows.filter((row) => row.id !== null) as unknown as R[]
  return {
    total: rows[0]?.total ?? 0,
    items: found.slice(0, limit).map(fromRow),
    more: found.length > limit,
  }
}
