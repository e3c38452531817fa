import { expiryOf } from './session-record.ts'
import type { SessionRecord } from './session-store.ts'

/** The touch that a session needs after it was read. `renew` is a touch that writes the whole record. */
export type TouchVerdict = 'ended' | 'live' | 'touch' | 'renew'

/** Decides when a session has been idle for too long, and how often one in use is touched. */
export interface TouchRule {
  /** Judges a session, and counts it as touched when it is to be. */
  judge(id: string, record: SessionRecord, now: number): TouchVerdict
  /** Whether a session has been idle for too long. */
  isIdle(id: string, record: SessionRecord, now: number): boolean
}

const TOUCH_SECONDS = 60
const MAX_REMEMBERED = 10_000

/**
 * Makes the rule: a session in use is touched at the latest after a quarter of the idle time.
 *
 * Its end is the one in its record, or the one this process gave it by a touch. Many stores prolong a
 * session without changing its record, and some never expire anything. A record that is a quarter of
 * the idle time old is written anew, so that every process knows the end.
 *
 * @param touchSeconds - How often at most the store wants to be touched.
 */
export function createTouchRule(
  idleSeconds: number,
  touchSeconds: number = TOUCH_SECONDS,
): TouchRule {
  const quarter = Math.floor(idleSeconds / 4)
  const interval = Math.min(touchSeconds, quarter)
  const touchedAt = new Map<string, number>()
  const remember = (id: string, now: number): void => {
    touchedAt.delete(id)
    touchedAt.set(id, now)
    if (touchedAt.size > MAX_REMEMBERED) touchedAt.delete(touchedAt.keys().next().value as string)
  }
  const touchEnd = (id: string): number => (touchedAt.get(id) ?? -Infinity) + idleSeconds

  return {
    judge(id, record, now) {
      const stored = expiryOf(record)
      const isCurrent = stored > now && now - (stored - idleSeconds) < interval
      if (isCurrent || stored === record.latchkey?.expiresAt) return stored > now ? 'live' : 'ended'
      const end = Math.max(stored, touchEnd(id))
      if (end <= now) return 'ended'
      if (now - (end - idleSeconds) < interval) return 'live'
      remember(id, now)
      return now - (stored - idleSeconds) < quarter ? 'touch' : 'renew'
    },
    isIdle(id, record, now) {
      return expiryOf(record) <= now && touchEnd(id) <= now
    },
  }
}
