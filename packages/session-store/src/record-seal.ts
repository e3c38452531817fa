import type { KeyObject } from 'node:crypto'
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  randomFillSync,
} from 'node:crypto'
import type { SessionRecord } from '@latchkey/core'
import { VERSION_BYTES } from './scripts.ts'

const FORMAT = 1
const IV_BYTES = 12
const TAG_BYTES = 16

/** What is sealed: the session's id, which Redis knows as a hash only, and its record. */
interface OpenedRecord {
  readonly id: string
  readonly record: SessionRecord
}

/** A record in the words of express-session, which version 0.1 reads and writes too. */
interface KeptRecord {
  readonly cookie: { readonly path?: string; readonly expires: string }
  readonly latchkey: SessionRecord['login']
  readonly [name: string]: unknown
}

/** Seals what is kept in Redis, and hides the names it is kept under. */
export interface RecordSeal {
  /** Encrypts a record (AES-256-GCM), bound to the name it will be kept under. */
  seal(name: string, content: OpenedRecord): Buffer
  /** The record, or `undefined` for anything that was not sealed here under this name. */
  open(name: string, value: Buffer): OpenedRecord | undefined
  /** The names of a key that says something, one for each secret in their order. */
  keyNames(key: string): string[]
}

/** The name of a session: a hash, as ids are 256 random bits. */
export function sessionName(id: string): string {
  return hash('sha256', id, 'base64url')
}

/** The version of a sealed value: its format and its nonce, which no two writes share. */
function versionOf(value: Buffer): Buffer {
  return value.subarray(0, VERSION_BYTES)
}

/**
 * Makes the seal. Nonces are random, so a secret is good for 2^32 writes.
 *
 * @param secrets - The session secrets. The first seals, every one opens.
 * @see RFC 5869 for the derivation of the keys, NIST SP 800-38D §8.3 for the number of writes
 */
export function createRecordSeal(secrets: readonly string[]): RecordSeal {
  const keys = secrets.map((secret) => derive(secret, 'session-record'))
  const nameKeys = secrets.map((secret) => derive(secret, 'session-index'))
  const nonces = createNonces()
  const [first] = keys
  if (!first) throw new TypeError('"secret" must have at least one entry')
  return {
    seal(name, { id, record }) {
      const head = Buffer.allocUnsafe(VERSION_BYTES)
      head[0] = FORMAT
      nonces(head, 1)
      const cipher = createCipheriv('aes-256-gcm', first, head.subarray(1))
      cipher.setAAD(Buffer.from(name))
      const body = cipher.update(
        JSON.stringify([id, toKept(record), record.expiresAt * 1000]),
        'utf8',
      )
      cipher.final()
      return Buffer.concat([head, body, cipher.getAuthTag()])
    },
    open(name, value) {
      if (value[0] !== FORMAT || value.length < VERSION_BYTES + TAG_BYTES) return undefined
      for (const key of keys) {
        const plain = decrypt(key, name, value)
        if (plain === undefined) continue
        const [id, kept, endsAt] = JSON.parse(plain) as [string, KeptRecord, number]
        return { id, record: fromKept(kept, endsAt / 1000, versionOf(value)) }
      }
      return undefined
    },
    keyNames: (key) =>
      nameKeys.map((secret) => createHmac('sha256', secret).update(key).digest('base64url')),
  }
}

function toKept({ login, data, expiresAt }: SessionRecord): KeptRecord {
  const cookie = data.cookie as object | undefined
  const end = { expires: new Date(expiresAt * 1000).toISOString() }
  // Data of the application never passes for a login.
  return { ...data, latchkey: login, cookie: { ...cookie, ...end } }
}

/** Only a cookie of express-session, which has a path, is the application's data. */
function fromKept(
  { latchkey, ...data }: KeptRecord,
  expiresAt: number,
  version: Buffer,
): SessionRecord {
  const { cookie, ...rest } = data
  const login = latchkey && { login: latchkey }
  return { ...login, data: cookie?.path ? data : rest, expiresAt, version }
}

function derive(secret: string, purpose: string): KeyObject {
  const info = `latchkey/1/${purpose}`
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, 'latchkey', info, 32)))
}

function decrypt(key: KeyObject, name: string, value: Buffer): string | undefined {
  try {
    const end = value.length - TAG_BYTES
    const decipher = createDecipheriv('aes-256-gcm', key, value.subarray(1, VERSION_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(Buffer.from(name))
    decipher.setAuthTag(value.subarray(end))
    // GCM gives all plaintext at once; `final` only throws when the tag does not fit.
    const plain = decipher.update(value.subarray(VERSION_BYTES, end))
    decipher.final()
    return plain.toString()
  } catch {
    return undefined
  }
}

/** Random nonces, fetched many at a time. */
function createNonces(): (target: Buffer, offset: number) => void {
  const pool = Buffer.alloc(IV_BYTES * 64)
  let used = pool.length
  return (target, offset) => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    pool.copy(target, offset, used, used + IV_BYTES)
    used += IV_BYTES
  }
}
