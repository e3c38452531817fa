import { hash } from 'node:crypto'
import type { SessionRecord } from '@latchkey/core'
import {
  createByteSealer,
  deriveKey,
  freeze,
  macOf,
  OldestFirst,
  remember,
} from '@latchkey/core/internal'
import { packRecord, unpackRecord } from './compact-record.ts'
import { VERSION_BYTES } from './scripts.ts'

/**
 * The first byte of a value, which is the format of its record: JSON, which every release reads, or
 * compact.
 */
const [JSON_FORMAT, COMPACT_FORMAT] = [1, 2]
const MAX_REMEMBERED = 5_000
const MAX_NAMES = 10_000

/**
 * The content of a sealed value: the record, and the id of its session. Redis has only a hash of
 * the id.
 */
interface OpenedRecord {
  readonly id: string
  readonly record: SessionRecord
}

/** A record in the JSON format, which has the form of a session of express-session. */
interface KeptRecord {
  readonly cookie: { readonly path?: string; readonly expires: string }
  readonly latchkey: SessionRecord['login']
  readonly [name: string]: unknown
}

/** Encrypts and decrypts the records in Redis, and hashes the names of keys. */
export interface RecordSeal {
  /** Encrypts a record, bound to the name under which it is stored. */
  seal(name: string, content: OpenedRecord): Buffer
  /**
   * Decrypts a record; `undefined` if the value was not sealed under this name with one of the
   * secrets.
   */
  open(name: string, value: Buffer): OpenedRecord | undefined
  /** The hashed names of a key: one for each secret, in the order of the secrets. */
  keyNames(key: string): string[]
}

/**
 * The name of a session in Redis, which is a hash of its id. A hash without a secret is enough,
 * because ids have 256 random bits.
 */
export function sessionName(id: string): string {
  const known = names.get(id)
  if (known) return known
  const name = hash('sha256', id, 'base64url')
  remember(names, id, name, MAX_NAMES)
  return name
}

/**
 * The cached names of sessions, by id. Each request needs the name of its session, and hashing
 * takes twenty times as long as a look-up.
 */
const names = new OldestFirst<string, string>()

/**
 * Creates a seal.
 *
 * @param secrets - The session secrets. The first secret encrypts, every secret decrypts.
 * @param isCompact - Whether records are written in the compact format. Both formats are read.
 */
export function createRecordSeal(secrets: readonly string[], isCompact: boolean): RecordSeal {
  const sealer = createByteSealer(secrets, 'session-record')
  const nameKeys = secrets.map((secret) => deriveKey(secret, 'session-index'))
  // The records that were opened before, by name. Decrypting and parsing a record takes longer than
  // fetching it.
  const known = new OldestFirst<string, { readonly value: Buffer; readonly opened: OpenedRecord }>()
  return {
    seal(name, content) {
      if (isCompact) {
        return Buffer.concat([Buffer.of(COMPACT_FORMAT), sealer.seal(packRecord(content), name)])
      }
      const { id, record } = content
      const plain = JSON.stringify([id, toKept(record), record.expiresAt * 1000])
      return Buffer.concat([Buffer.of(JSON_FORMAT), sealer.seal(plain, name)])
    },
    open(name, value) {
      const [format] = value
      if (format !== JSON_FORMAT && format !== COMPACT_FORMAT) return undefined
      const before = known.get(name)
      if (before?.value.equals(value)) return before.opened
      const plain = sealer.open(value.subarray(1), name)
      if (plain === undefined) return undefined
      // The value is copied, because the client's buffer may be a part of a much larger one.
      const own = Buffer.from(value)
      // The version is the format and the nonce, which is different for every write.
      const version = own.subarray(0, VERSION_BYTES)
      const opened = format === COMPACT_FORMAT ? unpacked(plain, version) : parsed(plain, version)
      // The record is frozen, because requests share it.
      freeze([opened.record.login, opened.record.data])
      remember(known, name, { value: own, opened }, MAX_REMEMBERED)
      return opened
    },
    keyNames: (key) => nameKeys.map((secret) => macOf(key, secret)),
  }
}

function unpacked(plain: Buffer, version: Buffer): OpenedRecord {
  const { id, record } = unpackRecord(plain)
  return { id, record: { ...record, data: withExpiry(record), version } }
}

/**
 * The data of a record, with the current expiry of the session in the cookie of express-session. A
 * touch changes only the expiry of the session.
 */
function withExpiry({ data, expiresAt }: SessionRecord): SessionRecord['data'] {
  const cookie = data.cookie as { path?: string } | undefined
  if (!cookie?.path) return data
  return { ...data, cookie: { ...cookie, expires: new Date(expiresAt * 1000).toISOString() } }
}

function parsed(plain: Buffer, version: Buffer): OpenedRecord {
  const [id, kept, endsAt] = JSON.parse(plain.toString()) as [string, KeptRecord, number]
  return { id, record: fromKept(kept, endsAt / 1000, version) }
}

function toKept({ login, data, expiresAt }: SessionRecord): KeptRecord {
  const cookie = data.cookie as object | undefined
  const end = { expires: new Date(expiresAt * 1000).toISOString() }
  // `latchkey` follows `data`, so that data of the application never counts as a login.
  return { ...data, latchkey: login, cookie: { ...cookie, ...end } }
}

/**
 * Restores a record from the JSON format. Only a cookie with a path is from express-session. Any
 * other `cookie` is left out, because `toKept` adds one to every record.
 */
function fromKept(
  { latchkey, ...data }: KeptRecord,
  expiresAt: number,
  version: Buffer,
): SessionRecord {
  const { cookie, ...rest } = data
  const login = latchkey && { login: latchkey }
  return { ...login, data: cookie?.path ? data : rest, expiresAt, version }
}
