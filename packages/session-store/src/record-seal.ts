import { hash } from 'node:crypto'
import type { SessionRecord } from '@latchkey/core'
import { createByteSealer, deriveKey, freeze, macOf, remember } from '@latchkey/core/internal'
import { packRecord, unpackRecord } from './compact-record.ts'
import { VERSION_BYTES } from './scripts.ts'

/**
 * The first byte of a value: for a JSON record, which every release reads, or for a compact one.
 */
const [JSON_FORMAT, COMPACT_FORMAT] = [1, 2]
const MAX_REMEMBERED = 5_000
const MAX_NAMES = 10_000

/** The content of a sealed value: the record, and the session's id, of which Redis has only a hash. */
interface OpenedRecord {
  readonly id: string
  readonly record: SessionRecord
}

/** A record in the form of express-session, as every release writes it. */
interface KeptRecord {
  readonly cookie: { readonly path?: string; readonly expires: string }
  readonly latchkey: SessionRecord['login']
  readonly [name: string]: unknown
}

/** Encrypts records in Redis, and hashes their keys. */
export interface RecordSeal {
  /** Encrypts a record, bound to the name under which it is stored. */
  seal(name: string, content: OpenedRecord): Buffer
  /** Decrypts a record; `undefined` for a value that was not sealed here under this name. */
  open(name: string, value: Buffer): OpenedRecord | undefined
  /** The hashed names of a readable key, one for each secret, in their order. */
  keyNames(key: string): string[]
}

/** The name of a session. A plain hash is enough, because ids have 256 random bits. */
export function sessionName(id: string): string {
  const known = names.get(id)
  if (known) return known
  const name = hash('sha256', id, 'base64url')
  remember(names, id, name, MAX_NAMES)
  return name
}

/**
 * Names are cached, because each request needs its session's name, and hashing takes twenty times as long as a look-up.
 */
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
  // Records that were opened before. Decrypting and parsing a record takes longer than fetching it.
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
      // Copied, because the client's buffer may be a part of a much larger one.
      const own = Buffer.from(value)
      // The format and the nonce, which differs in every write.
      const version = own.subarray(0, VERSION_BYTES)
      const opened = format === COMPACT_FORMAT ? unpacked(plain, version) : parsed(plain, version)
      // Frozen, because requests share it.
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

/** The cookie of express-session expires with its session, which may have been touched. */
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
  // Data of the application must never count as a login.
  return { ...data, latchkey: login, cookie: { ...cookie, ...end } }
}

/**
 * Whether a member is the cookie of express-session, which has a path. Other members named `cookie`
 * are the application's data.
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
