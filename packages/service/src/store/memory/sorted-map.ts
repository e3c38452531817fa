/** A map whose entries can be read page by page in the order of their keys. */
export interface SortedMap<T> {
  readonly size: number
  get(key: string): T | undefined
  set(key: string, value: T): void
  delete(key: string): void
  values(): IterableIterator<T>
  /** At most `limit` values whose keys are greater than `after`, in order. */
  page(after: string | undefined, limit: number): T[]
}

/** A {@link SortedMap}. Adding keys in ascending order, as new ids are, costs no search. */
export function createSortedMap<T>(): SortedMap<T> {
  const values = new Map<string, T>()
  const keys: string[] = []

  /** The index of the first key that is not less than `key`. */
  function lowerBound(key: string): number {
    let low = 0
    let high = keys.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((keys[middle] as string) < key) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    get size() {
      return values.size
    },
    get: (key) => values.get(key),
    set(key, value) {
      if (!values.has(key)) {
        const last = keys.at(-1)
        if (last === undefined || last < key) keys.push(key)
        else keys.splice(lowerBound(key), 0, key)
      }
      values.set(key, value)
    },
    delete(key) {
      if (values.delete(key)) keys.splice(lowerBound(key), 1)
    },
    values: () => values.values(),
    page(after, limit) {
      let start = after === undefined ? 0 : lowerBound(after)
      if (after !== undefined && keys[start] === after) start++
      return keys.slice(start, start + limit).map((key) => values.get(key) as T)
    },
  }
}
