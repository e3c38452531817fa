import type { Clock } from '../../clock.ts'
import { lifetimes } from '../../domain/writes/lifetimes.ts'
import type { EntryName, ProtocolStore } from '../../store/protocol-store.ts'

/** The limit of the unfinished logins that are stored. */
export interface UnfinishedLogins {
  /** Adds a login that begins. If the limit is reached, deletes the oldest login. */
  add(login: EntryName): Promise<void>
}

/**
 * Creates the limit. It applies to the latest `max` logins that began in this process.
 *
 * If new logins were refused instead, a few networks could keep all others out. The oldest login is
 * most likely abandoned.
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
      // An older login has already expired.
      const isLive = oldest && now - oldest.at < lifetimes.interactionSeconds * 1_000
      if (isLive) await protocol.delete(oldest.login)
    },
  }
}
