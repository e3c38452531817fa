import type { Clock } from '../../clock.ts'
import { lifetimes } from '../../domain/writes/lifetimes.ts'
import type { EntryName, ProtocolStore } from '../../store/protocol-store.ts'

/** Limits how many unfinished logins are stored. */
export interface UnfinishedLogins {
  /** Makes room for a login that begins. If there is none, the oldest login ends. */
  add(login: EntryName): Promise<void>
}

/**
 * Remembers, in this process, the latest `max` logins that began.
 *
 * If new logins were refused instead, a few networks could keep everybody out. The oldest login is the one that is most
 * likely abandoned.
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
      // A login from earlier than this has expired by itself.
      const isLive = oldest && now - oldest.at < lifetimes.interactionSeconds * 1_000
      if (isLive) await protocol.delete(oldest.login)
    },
  }
}
