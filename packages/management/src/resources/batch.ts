import type { UserImport } from '../types.ts'

/** The limits of one request. Users whose password has to be hashed take the service 50 ms of CPU each. */
const MOST = { users: 100, bytes: 250_000, hashes: 20 }

/** Gathers users until one request is full. */
export interface Batch<T> {
  /** Returns `false`, and adds nothing, if there is no room. An empty batch always has room. */
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
      const size = Buffer.byteLength(JSON.stringify(user)) + 1
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
