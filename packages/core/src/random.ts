import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(4096)
let used = pool.length

/**
 * Bytes that nobody can guess. They are fetched many at a time, because each call to the system costs
 * as much as a page; each is handed out once and wiped from the pool.
 */
export function randomBytes(size: number): Buffer {
  if (used + size > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const bytes = Buffer.from(pool.subarray(used, used + size))
  pool.fill(0, used, used + size)
  used += size
  return bytes
}

/** So many random bytes as base64url. */
export function randomText(size: number): string {
  return randomBytes(size).toString('base64url')
}
