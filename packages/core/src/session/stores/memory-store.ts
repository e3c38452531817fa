import { ConfigError, SessionEndedError } from '../../errors/errors.ts'
import { callable, checkOptions, type Rules, whole } from '../../shared/check-options.ts'
import { createBoundedRecords } from './bounded-records.ts'
import { createMarks } from './marks.ts'
import { createProcessLock } from './process-lock.ts'
import type { SessionStore } from './session-store.ts'

/** Limits of the memory store. */
export interface MemoryStoreOptions {
  /**
   * The number of sessions kept at most. Default 10,000. If there are more, sessions of visitors
   * who are not logged in are dropped first, then logins; of each kind, the least recently written
   * first.
   */
  readonly maxSessions?: number
  /**
   * The approximate size of all sessions at most, in bytes. Default 134,217,728 (128 MiB). Sessions
   * of visitors who are not logged in get a quarter of these bytes, and are dropped first.
   */
  readonly maxBytes?: number
  /** Returns the time in seconds since the epoch, for tests. Default: the system clock. */
  readonly now?: () => number
}

/** A {@link SessionStore} with `index`, `once` and `lock`. */
export type MemoryStore = SessionStore &
  Required<Pick<SessionStore, 'index' | 'once' | 'lock'>> & {
    /** The number of sessions in the store. */
    readonly size: number
  }

const ENDED_SECONDS = 300
const MAX_BYTES = 128 * 1024 * 1024
const RULES: Rules<MemoryStoreOptions> = {
  maxSessions: whole('sessions', 1),
  maxBytes: whole('bytes', 1),
  now: callable,
}

/**
 * Keeps sessions in the memory of this process: for development, tests and small sites with one
 * process. Sessions are lost when the process ends. The size is limited, and expired sessions are
 * removed.
 *
 * @throws {@link ConfigError} for an option that is unknown or of a wrong type.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { faults } = checkOptions(options, RULES)
  if (faults.length > 0) throw new ConfigError(faults, 'createMemoryStore() cannot start:')
  const maxSessions = options.maxSessions ?? 10_000
  const now = options.now ?? (() => Math.floor(Date.now() / 1000))
  const maxBytes = options.maxBytes ?? MAX_BYTES
  const records = createBoundedRecords({ maxRecords: maxSessions, maxBytes }, now)
  const sets = new Map<string, Set<string>>()
  const destroyed = createMarks(now)
  const isLive = (id: string): boolean => records.get(id) !== undefined

  return {
    get size() {
      return records.size
    },
    get: records.get,
    set(id, record) {
      if (destroyed.isConsumed(id)) throw new SessionEndedError()
      records.put(id, record)
    },
    update(id, record, seen) {
      const stored = records.get(id)
      if (!stored) return 'ended'
      if (stored.version !== seen.version) return 'changed'
      records.put(id, record)
      return 'updated'
    },
    touch(id, _seen, expiresAt) {
      if (isLive(id)) records.touch(id, expiresAt)
    },
    destroy(id) {
      records.remove(id)
      // A late write of another request must not restore the session.
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
    lock: createProcessLock(now),
  }
}

/**
 * Checks the two oldest ids of a set, and drops those without a session. Called for each id that is
 * added, so that ids of ended sessions do not pile up.
 */
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
