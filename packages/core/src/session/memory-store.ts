import { createClaimMemory } from '../claims.ts'
import { ConfigError, SessionEndedError } from '../errors.ts'
import { callable, checkOptions, type Rules, whole } from '../options/check-options.ts'
import type {
  OnceMemory,
  ReplaceOutcome,
  SessionIndex,
  SessionLock,
  SessionRecord,
  SessionStore,
} from './session-store.ts'

/** How large the memory store may grow. */
export interface MemoryStoreOptions {
  /** Sessions kept at most, 10,000 by default; the one used longest ago is dropped first. */
  readonly maxSessions?: number
  /** The time in whole seconds. */
  readonly now?: () => number
}

/** A {@link SessionStore} that has every ability. */
export interface MemoryStore extends SessionStore {
  readonly index: SessionIndex
  readonly claim: OnceMemory
  isClaimed(key: string): Promise<boolean>
  readonly lock: SessionLock
  replace(id: string, record: SessionRecord, seen?: SessionRecord): Promise<ReplaceOutcome>
  /** How many sessions are held. */
  readonly size: number
}

const ENDED_SECONDS = 300
const RULES: Rules<MemoryStoreOptions> = { maxSessions: whole('sessions', 1), now: callable }

interface Entry {
  readonly json: string
  readonly expiresAt: number
}

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
  const entries = new Map<string, Entry>()
  const sets = new Map<string, Set<string>>()
  const ended = new Map<string, number>()
  const locks = new Map<string, { readonly expiresAt: number }>()
  const readAs = new WeakMap<SessionRecord, { readonly id: string; readonly json: string }>()

  const live = (id: string): Entry | undefined => {
    const entry = entries.get(id)
    if (!entry) return undefined
    if (entry.expiresAt > now()) return entry
    entries.delete(id)
    return undefined
  }
  const put = (id: string, json: string, expiresAt: number): void => {
    entries.delete(id)
    entries.set(id, { json, expiresAt })
    for (const [oldest, entry] of entries) {
      if (entries.size <= maxSessions && entry.expiresAt > now()) break
      entries.delete(oldest)
    }
  }

  return {
    get size() {
      return entries.size
    },
    get(id, callback) {
      const entry = live(id)
      if (!entry) return callback(undefined, undefined)
      const record = JSON.parse(entry.json) as SessionRecord
      readAs.set(record, { id, json: entry.json })
      callback(undefined, record)
    },
    set(id, record, callback) {
      if ((ended.get(id) ?? 0) > now()) return callback?.(new SessionEndedError())
      put(id, JSON.stringify(record), expiryOf(record, now()))
      callback?.()
    },
    async replace(id, record, seen) {
      const entry = live(id)
      if (!entry) return 'ended'
      const from = seen && readAs.get(seen)
      if (from && (from.id !== id || from.json !== entry.json)) return 'changed'
      put(id, JSON.stringify(record), expiryOf(record, now()))
      return 'replaced'
    },
    lock: {
      async acquire(key, seconds) {
        const held = locks.get(key)
        if (held && held.expiresAt > now()) return undefined
        const mine = { expiresAt: now() + seconds }
        locks.set(key, mine)
        return async () => {
          if (locks.get(key) === mine) locks.delete(key)
        }
      },
    },
    destroy(id, callback) {
      entries.delete(id)
      // A write of a request that is still under way must not bring it back.
      ended.set(id, now() + ENDED_SECONDS)
      for (const [other, until] of ended) {
        if (ended.size <= maxSessions && until > now()) break
        ended.delete(other)
      }
      callback?.()
    },
    touch(id, record, callback) {
      const entry = live(id)
      if (entry) put(id, entry.json, expiryOf(record, now()))
      callback?.()
    },
    index: {
      async add(keys, id) {
        for (const key of keys) {
          const set = sets.get(key) ?? new Set()
          dropSomeEnded(set, (other) => live(other) !== undefined)
          sets.set(key, set.add(id))
        }
        if (sets.size > 4 * maxSessions) dropEmpty(sets, (id) => live(id) !== undefined)
      },
      async find(key) {
        return [...(sets.get(key) ?? [])].filter((id) => live(id) !== undefined)
      },
      async remove(keys, id) {
        for (const key of keys) {
          sets.get(key)?.delete(id)
          if (sets.get(key)?.size === 0) sets.delete(key)
        }
      },
    },
    ...createClaimMemory(now, maxSessions),
  }
}

function expiryOf(record: SessionRecord, now: number): number {
  const { expires } = record.cookie
  if (!expires) return now + 86_400
  return Math.floor(new Date(expires).getTime() / 1000)
}

/** Looks at two for every one that is added, so that a set stays as small as what is live in it. */
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
