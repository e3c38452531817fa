import type { UserImport } from '../types.ts'

/**
 * The limits of one request. `hashes` counts the passwords that the service has to hash, at 50 ms
 * of CPU time each.
 */
const MOST = { users: 100, bytes: 250_000, hashes: 20 }

/** Measures texts without `Buffer`, because the client also runs on platforms that have only `fetch`. */
const encoder = new TextEncoder()

/** Collects users up to the limits of one request. */
export interface Batch<T> {
  /**
   * Adds an item. Returns `false` without adding it if there is no room; an empty batch always has
   * room.
   */
  add(item: T, user: UserImport): boolean
  /** Returns the items and empties the batch. */
  take(): T[]
  readonly items: readonly T[]
}

export function createBatch<T>(): Batch<T> {
  let items: T[] = []
  let bytes = 0
  let hashes = 0
  return {
    get items() {
      return items
    },
    add(item, user) {
      const size = encoder.encode(JSON.stringify(user)).byteLength + 1
      const isHashed = user.password !== undefined && user.password.alg !== 'bcrypt'
      const isFull =
        items.length === MOST.users ||
        bytes + size > MOST.bytes ||
        (isHashed && hashes === MOST.hashes)
      if (isFull && items.length > 0) return false
      items.push(item)
      bytes += size
      if (isHashed) hashes++
      return true
    },
    take() {
      const taken = items
      items = []
      bytes = 0
      hashes = 0
      return taken
    },
  }
}
