import { OldestFirst } from '../../shared/oldest-first.ts'
import { frozenCopy } from '../../shared/records.ts'
import type { SessionRecord } from './session-store.ts'

/** A record in memory, and the approximate size of its heap, in bytes. */
interface Held {
  readonly record: SessionRecord
  readonly bytes: number
}

/** The most records, and the most bytes, that are kept in memory. */
export interface RecordBounds {
  readonly maxRecords: number
  readonly maxBytes: number
}

/** Records in memory, frozen, so that a read needs no copy. */
export interface BoundedRecords {
  readonly size: number
  get(id: string): SessionRecord | undefined
  /**
   * Adds or replaces a record as the newest one. Older records are dropped until the bounds are
   * met.
   */
  put(id: string, record: SessionRecord): void
  /** Replaces the expiry of a record, which becomes the newest. */
  touch(id: string, expiresAt: number): void
  remove(id: string): void
}

/**
 * The part of the bytes for visitors who are not logged in: `maxBytes` is divided by this number.
 */
const VISITORS_PART = 4

/**
 * Makes {@link BoundedRecords}. Expired records are dropped first. Records of visitors who are not
 * logged in are dropped for logins, never the other way round. Of each kind, the record that was
 * written longest ago is dropped first.
 */
export function createBoundedRecords(bounds: RecordBounds, now: () => number): BoundedRecords {
  const { maxRecords, maxBytes } = bounds
  const logins = createShelf()
  const others = createShelf()
  let writes = 0

  const find = (id: string): Held | undefined => logins.get(id) ?? others.get(id)
  const remove = (id: string): void => {
    logins.remove(id)
    others.remove(id)
  }
  const isOver = (): boolean =>
    logins.size + others.size > maxRecords || logins.bytes + others.bytes > maxBytes
  const store = (id: string, record: SessionRecord, bytes: number): void => {
    remove(id)
    const shelf = record.login ? logins : others
    shelf.add(id, { record: Object.freeze({ ...record, version: ++writes }), bytes })
    const hasExpired = ({ record }: Held): boolean => record.expiresAt <= now()
    others.dropWhile(
      (oldest) => isOver() || others.bytes > maxBytes / VISITORS_PART || hasExpired(oldest),
    )
    logins.dropWhile((oldest) => isOver() || hasExpired(oldest))
  }

  return {
    get size() {
      return logins.size + others.size
    },
    get(id) {
      const held = find(id)
      if (!held || held.record.expiresAt > now()) return held?.record
      remove(id)
      return undefined
    },
    put(id, { version: _version, ...record }) {
      const copy = frozenCopy(record) as SessionRecord
      store(id, copy, bytesOf(id) + bytesOf(copy))
    },
    touch(id, expiresAt) {
      const held = find(id)
      if (held) store(id, { ...held.record, expiresAt }, held.bytes)
    },
    remove,
  }
}

/** Records of one kind. The record that was written longest ago comes first. */
function createShelf() {
  const all = new OldestFirst<string, Held>()
  let bytes = 0
  const remove = (id: string): void => {
    const held = all.get(id)
    if (held && all.delete(id)) bytes -= held.bytes
  }
  return {
    get size() {
      return all.size
    },
    get bytes() {
      return bytes
    },
    get: (id: string): Held | undefined => all.get(id),
    remove,
    add(id: string, held: Held): void {
      all.set(id, held)
      bytes += held.bytes
    },
    /** Drops the oldest records while `hasToGo` returns `true` for them. */
    dropWhile(hasToGo: (oldest: Held) => boolean): void {
      while (all.oldest && hasToGo(all.oldest.value)) remove(all.oldest.key)
    },
  }
}

/** A character beyond Latin-1. A text with such a character takes two bytes for every character. */
const WIDE = /[^\0-\xff]/
const TEXT_BYTES = 24
const MEMBER_BYTES = 16
const OBJECT_BYTES = 64

/** The approximate heap that a JSON value takes, in bytes. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return TEXT_BYTES + value.length * (WIDE.test(value) ? 2 : 1)
  if (typeof value !== 'object' || value === null) return 0
  let bytes = OBJECT_BYTES
  for (const [name, member] of Object.entries(value)) {
    bytes += MEMBER_BYTES + name.length + bytesOf(member)
  }
  return bytes
}
