import { setTimeout as wait } from 'node:timers/promises'

/**
 * The pauses between attempts, in milliseconds. Their sum is shorter than a lease, and longer than
 * a restart of PostgreSQL.
 */
const WAITS_MS = [100, 400, 1_000, 2_000, 4_000, 8_000]

/**
 * Repeats a failing write for about 15 seconds, then throws its error. Without the record that a
 * message was sent, the message would be sent again.
 */
export async function persistently<T>(write: () => Promise<T>): Promise<T> {
  for (const ms of WAITS_MS) {
    try {
      return await write()
    } catch {
      await wait(ms)
    }
  }
  return write()
}
