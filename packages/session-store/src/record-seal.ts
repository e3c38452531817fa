import { hash } from 'node:crypto'
import type { SessionRecord } from '@latchkey/core'
import { createByteSealer, deriveKey, freeze, macOf, remember } from '@latchkey/core/internal'
import { packRecord, unpackRecord } from './compact-record.ts'
import { VERSION_BYTES } from './scripts.ts'

/** The first byte of a value: a record as JSON, which every release reads, or a compact one. */
const [JSON_FORMAT, COMPACT_FORMAT] = [1, 2]
const MAX_REMEMBERED = 5_000
const MAX_NAMES = 10_000

/** The sealed part of a record: the session's id, which Redis knows as a hash only, and its record. */
interface OpenedRecord {
  readonly id: string
  readonly record: SessionRecord
}

/** A record in the words of express-session, as every release writes it. */
interface KeptRecord {
  readonly cookie: { readonly path?: string; readonly expires: string }
  readonly latchkey: SessionRecord['login']
  readonly [name: string]: unknown
}

/** Encrypts records in Redis, and hashes their keys. */
export interface RecordSeal {
  /** Encrypts a record, bound to the name it will be kept under. */
  seal(name: string, content: OpenedRecord): Buffer
  /** The record, or `undefined` for anything that was not sealed here under this name. */
  open(name: string, value: Buffer): OpenedRecord | undefined
  /** The names of a key that says something, one for each secret in their order. */
  keyNames(key: string): string[]
}

/** The name of a session: a hash, as ids are 256 random bits. */
export function sessionName(id: string): string {
  const known = names.get(id)
  if (known) return known
  const name = hash('sha256', id, 'base64url')
  remember(names, id, name, MAX_NAMES)
  return name
}

/** Each request of a session asks for its name, and hashing takes twenty times as long as looking it up. */
const names = new Map<string, string>()

/**
 * Makes the seal.
 *
 * @param secrets - The session secrets. The first seals, every one opens.
 * @param isCompact - Whether records are written in the compact format. Both formats are read.
 */
export function createRecordSeal(secrets: readonly string[], isCompact: boolean): RecordSeal {
  const sealer = createByteSealer(secrets, 'session-record')
  const nameKeys = secrets.map((secret) => deriveKey(secret, 'session-index'))
  // Records that were opened before: decrypting and parsing a record takes longer than fetching it.
  const known = new Map<string, { readonly value: Buffer; readonly opened: OpenedRecord }>()
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
      // Of the client's buffer, which may be a part of a larger one, nothing is kept.
      const own = Buffer.from(value)
      // The format and the nonce, which no two writes share.
      const version = own.subarray(0, VERSION_BYTES)
      const opened = format === COMPACT_FORMAT ? unpacked(plain, version) : parsed(plain, version)
      // Requests share it.
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

/** The cookie of express-session ends with its session, which may have been touched. */
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
  // Data of the application never passes for a login.
  return { ...data, latchkey: login, cookie: { ...cookie, ...end } }
}

/**
 * Recognizes the cookie of express-session by its path; other members named `cookie` are the
 * application's data.
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
