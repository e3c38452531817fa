import { ConfigError, SessionEndedError } from '../errors/errors.ts'
import { callable, checkOptions, type Rules, whole } from '../shared/check-options.ts'
import { frozenCopy } from '../shared/records.ts'
import { createMarks } from './marks.ts'
import type { SessionRecord, SessionStore } from './session-store.ts'

/** How large the memory store may grow. */
export interface MemoryStoreOptions {
  /**
   * Sessions kept at most, 10,000 by default. Those of visitors who are not logged in are dropped first,
   * then logins; of each kind the one that was written longest ago.
   */
  readonly maxSessions?: number
  /** The time in seconds. */
  readonly now?: () => number
}

/** A {@link SessionStore} that has every ability. */
export type MemoryStore = SessionStore &
  Required<Pick<SessionStore, 'index' | 'once' | 'lock'>> & {
    /** How many sessions are held. */
    readonly size: number
  }

const ENDED_SECONDS = 300
const RULES: Rules<MemoryStoreOptions> = { maxSessions: whole('sessions', 1), now: callable }

/**
 * Keeps sessions in this process: for development, tests and small sites of one process. Sessions
 * are gone when it ends. It is bounded, and expired sessions are dropped as new ones arrive.
 *
 * @throws {@link ConfigError} for an option that is unknown or of a wrong type.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { faults } = checkOptions(options, RULES)
  if (faults.length > 0) throw new ConfigError(faults, 'createMemoryStore() cannot start:')
  const maxSessions = options.maxSessions ?? 10_000
  const now = options.now ?? (() => Math.floor(Date.now() / 1000))
  // Records are frozen, so a read needs no copy. Each map has the one written longest ago first.
  const logins = new Map<string, SessionRecord>()
  const others = new Map<string, SessionRecord>()
  const sets = new Map<string, Set<string>>()
  const destroyed = createMarks(now)
  const locks = new Map<string, { readonly expiresAt: number }>()
  let writes = 0

  const size = (): number => logins.size + others.size
  const remove = (id: string): void => {
    logins.delete(id)
    others.delete(id)
  }

  const live = (id: string): SessionRecord | undefined => {
    const record = logins.get(id) ?? others.get(id)
    if (!record || record.expiresAt > now()) return record
    remove(id)
    return undefined
  }
  const isLive = (id: string): boolean => live(id) !== undefined
  const put = (id: string, record: SessionRecord): void => {
    remove(id)
    const records = record.login ? logins : others
    records.set(id, Object.freeze({ ...record, version: ++writes }))
    // Visitors who are not logged in make room for logins, and never the other way round.
    for (const kept of [others, logins]) {
      for (const [oldest, { expiresAt }] of kept) {
        if (size() <= maxSessions && expiresAt > now()) break
        kept.delete(oldest)
      }
    }
  }

  return {
    get size() {
      return size()
    },
    get: live,
    set(id, record) {
      if (destroyed.isConsumed(id)) throw new SessionEndedError()
      put(id, frozen(record))
    },
    update(id, record, seen) {
      const stored = live(id)
      if (!stored) return 'ended'
      if (stored.version !== seen.version) return 'changed'
      put(id, frozen(record))
      return 'updated'
    },
    touch(id, _seen, expiresAt) {
      const stored = live(id)
      if (stored) put(id, { ...stored, expiresAt })
    },
    destroy(id) {
      remove(id)
      // A write of a request that is still under way must not bring it back.
      void destroyed.consume(id, ENDED_SECONDS)
    },
    index: {
      add(keys, id) {
        for (const key of keys) {
          const set = sets.get(key) ?? new Set()
          dropSomeEnded(set, isLive)
          sets.set(key, set.add(id))
        }
        if (sets.size > 4 * maxSessions) dropEmpty(sets, isLive)
      },
      find: (key) => [...(sets.get(key) ?? [])].filter(isLive),
      remove(keys, id) {
        for (const key of keys) {
          sets.get(key)?.delete(id)
          if (sets.get(key)?.size === 0) sets.delete(key)
        }
      },
    },
    isInProcess: true,
    once: createMarks(now),
    lock: {
      acquire(key, seconds) {
        if ((locks.get(key)?.expiresAt ?? 0) > now()) return undefined
        const mine = { expiresAt: now() + seconds }
        locks.set(key, mine)
        return () => {
          if (locks.get(key) === mine) locks.delete(key)
        }
      },
    },
  }
}

/** A copy as JSON has it, which a reader cannot change. */
function frozen({ version: _version, ...record }: SessionRecord): SessionRecord {
  return frozenCopy(record) as SessionRecord
}

/** Checks two entries for each one that is added, so that expired entries do not pile up. */
function dropSomeEnded(set: Set<string>, isLive: (id: string) => boolean): void {
  for (let looked = 0; looked < 2; looked++) {
    const [oldest] = set
    if (oldest === undefined) return
    set.delete(oldest)
    if (isLive(oldest)) set.add(oldest)
  }
}

function dropEmpty(sets: Map<string, Set<string>>, isLive: (id: string) => boolean): void {
  for (const [key, set] of sets) {
    for (const id of set) if (!isLive(id)) set.delete(id)
    if (set.size === 0) sets.delete(key)
  }
}
