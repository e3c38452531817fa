/** An entry of an {@link OldestFirst}. */
interface Entry<K, V> {
  readonly key: K
  readonly value: V
  older: Entry<K, V> | undefined
  newer: Entry<K, V> | undefined
}

/**
 * A map that knows its oldest entry: the one that was set longest ago. A `Map` finds its first
 * entry by passing the places of all that were deleted in front of it, and the more entries
 * there are, the more places are passed: with 10,000, this takes as long as storing a session.
 */
export class OldestFirst<K, V> {
  readonly #entries = new Map<K, Entry<K, V>>()
  #oldest: Entry<K, V> | undefined
  #newest: Entry<K, V> | undefined

  get size(): number {
    return this.#entries.size
  }

  /** The entry that was set longest ago; `undefined` if there is none. */
  get oldest(): { readonly key: K; readonly value: V } | undefined {
    return this.#oldest
  }

  has(key: K): boolean {
    return this.#entries.has(key)
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value
  }

  /** Adds or replaces an entry, which becomes the newest. */
  set(key: K, value: V): this {
    this.delete(key)
    const entry: Entry<K, V> = { key, value, older: this.#newest, newer: undefined }
    if (this.#newest) this.#newest.newer = entry
    else this.#oldest = entry
    this.#newest = entry
    this.#entries.set(key, entry)
    return this
  }

  /** Removes an entry. Returns whether there was one. */
  delete(key: K): boolean {
    const entry = this.#entries.get(key)
    if (!entry) return false
    this.#entries.delete(key)
    if (entry.older) entry.older.newer = entry.newer
    else this.#oldest = entry.newer
    if (entry.newer) entry.newer.older = entry.older
    else this.#newest = entry.older
    return true
  }
}

/**
 * Adds or replaces an entry as the newest one. The oldest entry is removed if there are more than
 * `max`.
 */
export function remember<K, V>(map: OldestFirst<K, V>, key: K, value: V, max: number): void {
  map.set(key, value)
  if (map.size > max && map.oldest) map.delete(map.oldest.key)
}
