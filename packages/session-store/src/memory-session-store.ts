import {
  SessionEndedError,
  type SessionIndex,
  type SessionLock,
  type SessionRecord,
} from '@latchkey/core'
import { type SessionData, Store } from 'express-session'
import type { StoreHealth } from './availability.ts'
import type { Replaced } from './redis-session-store.ts'

/** How a {@link MemorySessionStore} is bounded. */
export interface MemorySettings {
  /** Sessions kept at most; the one written longest ago is dropped first. */
  readonly maxSessions: number
  /** How often at most a session in use is touched, in seconds. Default 60. */
  readonly touchSeconds?: number
}

// biome-ignore lint/suspicious/noExplicitAny: what express-session and the core call a record differs
type Answer = any
type Done = (error?: unknown) => void

interface Entry {
  readonly json: string
  readonly version: number
  readonly expiresAt: number
}

const origin = Symbol('latchkey.origin')
const ENDED_MILLISECONDS = 300_000

/** Where a record came from: rides along on the record itself, invisible to JSON. */
interface Origin {
  readonly id: string
  readonly version: number
}

interface WithOrigin {
  [origin]?: Origin
}

/** The version that a record was read as, if it was read under this id. */
function versionOf(record: unknown, id: string): number | undefined {
  const from = (record as WithOrigin | undefined)?.[origin]
  return from?.id === id ? from.version : undefined
}

/** Sessions in this process, with every ability of the Redis store; for development and tests. */
export class MemorySessionStore extends Store {
  readonly index: SessionIndex
  readonly lock: SessionLock
  /** How often at most a session in use is touched. */
  readonly touchSeconds: number
  readonly #entries: Map<string, Entry>
  readonly #ended: Map<string, Entry>
  readonly #held: Map<string, Entry>
  readonly #sets: Map<string, Map<string, number>>
  readonly #maxSessions: number
  #writes = 0

  constructor({ maxSessions, touchSeconds = 60 }: MemorySettings) {
    super()
    this.touchSeconds = touchSeconds
    this.#maxSessions = maxSessions
    this.#entries = new Map()
    this.#ended = new Map()
    this.#held = new Map()
    this.#sets = new Map()
    this.index = {
      add: async (keys, id, seconds) => {
        for (const key of keys) this.#addToSet(key, id, Date.now() + seconds * 1000)
      },
      find: async (key) =>
        [...(this.#sets.get(key)?.keys() ?? [])].filter((id) => live(this.#entries, id)),
      remove: async (keys, id) => {
        for (const key of keys) {
          this.#sets.get(key)?.delete(id)
          if (this.#sets.get(key)?.size === 0) this.#sets.delete(key)
        }
      },
    }
    this.lock = {
      acquire: async (key, seconds) => {
        const entry = this.#hold(`lock ${key}`, seconds)
        if (!entry) return undefined
        return async () => {
          if (this.#held.get(`lock ${key}`) === entry) this.#held.delete(`lock ${key}`)
        }
      },
    }
  }

  /** As with Redis; there is nothing that could be away. */
  health(): StoreHealth {
    return { status: 'ok', reason: undefined }
  }

  /** As with Redis: resolves at once. */
  async ready(): Promise<void> {}

  /** As with Redis: there is no connection to close. */
  async close(): Promise<void> {}

  override get(id: string, done: (error?: unknown, record?: Answer) => void): void {
    const entry = live(this.#entries, id)
    const record = entry && (JSON.parse(entry.json) as SessionData)
    if (entry) (record as unknown as WithOrigin)[origin] = { id, version: entry.version }
    done(undefined, record)
  }

  override set(id: string, data: SessionData | SessionRecord, done: Done = () => {}): void {
    const isKnown = versionOf(data, id) !== undefined
    const hasEnded = isKnown ? !live(this.#entries, id) : live(this.#ended, id)
    if (!hasEnded) this.#put(id, data)
    done(hasEnded ? new SessionEndedError() : undefined)
  }

  override touch(id: string, data: SessionData | SessionRecord, done: Done = () => {}): void {
    const entry = live(this.#entries, id)
    if (entry && entry.version === versionOf(data, id)) this.#put(id, data)
    done()
  }

  override destroy(id: string, done: Done = () => {}): void {
    this.#entries.delete(id)
    this.#keep(this.#ended, id, '', Date.now() + ENDED_MILLISECONDS)
    done()
  }

  /** Remembers for express-session which version its session was made from. */
  override createSession(
    ...[req, data]: Parameters<Store['createSession']>
  ): ReturnType<Store['createSession']> {
    const session = super.createSession(req, data)
    const from = (data as unknown as WithOrigin)[origin]
    if (from !== undefined) Object.defineProperty(session, origin, { value: from })
    return session
  }

  /** Writes a record over the one that was `seen`, or over any when none is named. */
  async replace(id: string, record: SessionRecord, seen?: SessionRecord): Promise<Replaced> {
    const entry = live(this.#entries, id)
    if (!entry) return 'ended'
    const version = versionOf(seen, id)
    if (version !== undefined && version !== entry.version) return 'changed'
    this.#put(id, record)
    return 'replaced'
  }

  /** Resolves to `true` for the first caller with a key within `seconds`. */
  async claim(key: string, seconds: number): Promise<boolean> {
    return this.#hold(`claim ${key}`, seconds) !== undefined
  }

  /** Whether a key is claimed. */
  async isClaimed(key: string): Promise<boolean> {
    return live(this.#held, `claim ${key}`) !== undefined
  }

  #put(id: string, data: SessionData | SessionRecord): void {
    const { expires } = data.cookie
    const end = expires ? new Date(expires).getTime() : Date.now() + 86_400_000
    this.#keep(this.#entries, id, JSON.stringify(data), end)
  }

  #hold(key: string, seconds: number): Entry | undefined {
    if (live(this.#held, key)) return undefined
    return this.#keep(this.#held, key, '', Date.now() + seconds * 1000)
  }

  #keep(map: Map<string, Entry>, key: string, json: string, expiresAt: number): Entry {
    const entry = { json, version: ++this.#writes, expiresAt }
    map.delete(key)
    map.set(key, entry)
    for (const [oldest, one] of map) {
      if (map.size <= this.#maxSessions && one.expiresAt > Date.now()) break
      map.delete(oldest)
    }
    return entry
  }

  #addToSet(key: string, id: string, expiresAt: number): void {
    const set = this.#sets.get(key) ?? new Map<string, number>()
    for (const [other, end] of set) if (end <= Date.now()) set.delete(other)
    this.#sets.delete(key)
    this.#sets.set(key, set.set(id, expiresAt))
    if (this.#sets.size <= 2 * this.#maxSessions) return
    this.#sets.delete(this.#sets.keys().next().value as string)
  }
}

function live(map: Map<string, Entry>, key: string): Entry | undefined {
  const entry = map.get(key)
  if (!entry || entry.expiresAt > Date.now()) return entry
  map.delete(key)
  return undefined
}
