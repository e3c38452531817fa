import { hash } from 'node:crypto'
import { OldestFirst } from '../../shared/oldest-first.ts'
import type { ReplayCache } from './session-store.ts'

/** The number of marks that one process keeps at most. */
export const MAX_MARKS = 100_000

/** A longer key is kept as its hash, so that the number of marks limits the memory, too. */
const MAX_KEY_LENGTH = 200

/**
 * Makes a replay cache in memory, for used logins and logout tokens, adopted sessions and ended
 * sessions. Expired keys are dropped first. If there are still more than `max`, the key that
 * expires soonest is dropped. So an attacker's logins, which are remembered for minutes, cannot
 * displace keys that are kept for months.
 *
 * @param now - Returns the time in seconds since the epoch.
 * @param max - The number of keys at most.
 */
export function createMarks(now: () => number, max: number = MAX_MARKS): ReplayCache {
  /**
   * One list for each duration in seconds, which maps a key to the time at which it expires. All
   * keys of a list are kept equally long, so they are in the order in which they expire.
   */
  const lists = new Map<number, OldestFirst<string, number>>()
  let size = 0

  const expiryOf = (key: string): number | undefined => {
    for (const list of lists.values()) {
      const expiresAt = list.get(key)
      if (expiresAt !== undefined) return expiresAt
    }
    return undefined
  }
  const forget = (seconds: number, key: string): void => {
    const list = lists.get(seconds)
    if (!list?.delete(key)) return
    size--
    if (list.size === 0) lists.delete(seconds)
  }
  const forgetExpired = (): void => {
    for (const [seconds, list] of lists) {
      while (list.oldest && list.oldest.value <= now()) forget(seconds, list.oldest.key)
    }
  }
  const forgetSoonest = (): void => {
    const [soonest] = [...lists].sort(
      ([, one], [, other]) => expiryOfFirst(one) - expiryOfFirst(other),
    )
    if (soonest?.[1].oldest) forget(soonest[0], soonest[1].oldest.key)
  }
  const isConsumed = (key: string): boolean => (expiryOf(key) ?? 0) > now()

  return {
    isConsumed: (name) => isConsumed(keyOf(name)),
    consume(name, seconds) {
      const key = keyOf(name)
      if (isConsumed(key)) return false
      forgetExpired()
      const list = lists.get(seconds) ?? new OldestFirst<string, number>()
      lists.set(seconds, list.set(key, now() + seconds))
      size++
      if (size > max) forgetSoonest()
      return true
    },
  }
}

function expiryOfFirst({ oldest }: OldestFirst<string, number>): number {
  return oldest?.value ?? Number.POSITIVE_INFINITY
}

function keyOf(name: string): string {
  return name.length > MAX_KEY_LENGTH ? hash('sha256', name, 'base64url') : name
}
