import { setTimeout as wait } from 'node:timers/promises'

/** Waits between attempts: together less than a lease, and longer than a restart of PostgreSQL takes. */
const WAITS_MS = [100, 400, 1_000, 2_000, 4_000, 8_000]

/** Repeats a write for a quarter of a minute: without it, a message that was sent would be sent again. */
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
