import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(4096)
let used = pool.length

/**
 * Cryptographically random bytes. They come from a pool of 4,096 bytes, because the system call for
 * a few bytes costs as much as for all. Each byte is used once, and wiped from the pool.
 */
export function randomBytes(size: number): Buffer {
  return take(size, (start, end) => Buffer.from(pool.subarray(start, end)))
}

/** `size` random bytes as base64url. */
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
