import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(4096)
let used = pool.length

/**
 * Bytes that can't be guessed. Many are fetched at a time, because a system call costs as much as a
 * whole page. Each is used once and wiped from the pool.
 */
export function randomBytes(size: number): Buffer {
  return take(size, (start, end) => Buffer.from(pool.subarray(start, end)))
}

/** Random bytes as base64url. */
export function randomText(size: number): string {
  return take(size, (start, end) => pool.toString('base64url', start, end))
}

function take<T>(size: number, read: (start: number, end: number) => T): T {
  if (used + size > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const start = used
  used += size
  const taken = read(start, used)
  pool.fill(0, start, used)
  return taken
}
