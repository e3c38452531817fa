import type { Clock } from '../../clock.ts'
import { lifetimes } from '../../domain/writes/lifetimes.ts'
import type { EntryName, ProtocolStore } from '../../store/protocol-store.ts'

/** Bounds how many logins are stored that have begun and are not finished. */
export interface UnfinishedLogins {
  /** Makes room for one that begins; when there are as many as may be, the oldest one ends. */
  add(login: EntryName): Promise<void>
}

/**
 * Remembers, in this process, the last `max` logins that began.
 *
 * Refusing new logins instead would let a few networks keep everybody out; the oldest login is the one
 * that is most likely abandoned.
 */
export function createUnfinishedLogins(
  { protocol, clock }: { protocol: Pick<ProtocolStore, 'delete'>; clock: Clock },
  max: number,
): UnfinishedLogins {
  const ring: { login: EntryName; at: number }[] = []
  let next = 0

  return {
    async add(login) {
      const now = clock.now()
      const oldest = ring[next]
      ring[next] = { login, at: now }
      next = (next + 1) % max
      // One from before has expired by itself.
      const isLive = oldest && now - oldest.at < lifetimes.interactionSeconds * 1_000
      if (isLive) await protocol.delete(oldest.login)
    },
  }
}
