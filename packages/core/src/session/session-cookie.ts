import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { clearCookie, readCookie, setCookie } from '../http/cookies.ts'
import { OldestFirst, remember } from '../shared/oldest-first.ts'
import { randomText } from '../shared/random.ts'
import { deriveKey } from '../shared/sealing.ts'
import type { SessionSettings } from './session-record.ts'

const MAX_LENGTH = 256
const MAX_REMEMBERED = 10_000
/** The length of a signature: 32 bytes as base64url. */
const SIGNATURE_LENGTH = 43

/**
 * The change of the browser's session cookie: the new session id, `null` to remove the cookie, or
 * `undefined` for no change.
 */
export type CookieChange = string | null | undefined

/** The cookie that carries the signed id of a session. */
export interface SessionCookie {
  /**
   * The session id in a `Cookie` header; `undefined` if it is missing or its signature is not
   * valid.
   */
  idIn(cookieHeader: string | null | undefined): string | undefined
  /** The `Set-Cookie` values for a change of the cookie. */
  setCookies(change: CookieChange): readonly string[]
}

/** Makes the {@link SessionCookie} for sessions that are in a store. */
export function createSessionCookie(settings: SessionSettings): SessionCookie {
  const { cookieName, cookie, absoluteSeconds } = settings
  const signer = createCookieSigner(settings.secrets)
  const scope = { ...cookie, maxAgeSeconds: absoluteSeconds }
  // The latest lines are kept, because a response needs them twice: when it is written, and before
  // it is sent.
  let latest: { readonly id: string; readonly lines: readonly string[] } | undefined
  return {
    idIn: (header) => signer.verify(readCookie(header, cookieName)),
    setCookies(change) {
      if (change === undefined) return NO_COOKIES
      if (change === null) return [clearCookie(cookieName, cookie)]
      const id = change
      if (latest?.id !== id) {
        latest = { id, lines: [setCookie(cookieName, signer.sign(id), scope)] }
      }
      return latest.lines
    },
  }
}

const NO_COOKIES: readonly string[] = []

/** Makes a session id: 256 random bits. */
export function newSessionId(): string {
  return randomText(32)
}

/** Signs session ids, and reads them back. */
export interface CookieSigner {
  /** The cookie value of an id: the id, a dot and its HMAC-SHA-256, both as base64url. */
  sign(id: string): string
  /** The id in a signed cookie value; `undefined` unless one of the secrets signed it. */
  verify(value: string | undefined): string | undefined
}

/**
 * Makes a {@link CookieSigner}.
 *
 * @param secrets - The first secret signs; every secret verifies.
 */
export function createCookieSigner(secrets: readonly string[]): CookieSigner {
  const keys = secrets.map((secret) => {
    const derived = deriveKey(secret, 'session-cookie').export().toString('base64url')
    return createSecretKey(Buffer.from(derived))
  })
  const [signing] = keys
  if (!signing) throw new TypeError('at least one secret is needed')
  // Verified cookie values and their ids, because the HMAC is the most expensive part of reading a
  // session. A forged value is never in this map. The time of a look-up reveals nothing about
  // verified values, because a Map uses a hash whose seed is random in each process.
  const genuine = new OldestFirst<string, string>()
  return {
    sign(id) {
      const value = `${id}.${signatureOf(id, signing)}`
      remember(genuine, value, id, MAX_REMEMBERED)
      return value
    },
    verify(value) {
      if (!value || value.length > MAX_LENGTH) return undefined
      const known = genuine.get(value)
      if (known !== undefined) return known
      const dot = value.lastIndexOf('.')
      if (dot < 1 || value.length - dot - 1 !== SIGNATURE_LENGTH) return undefined
      const id = withoutHeader(value.slice(0, dot))
      const given = Buffer.from(value.slice(dot + 1))
      for (const key of keys) {
        const expected = Buffer.from(signatureOf(id, key))
        if (given.length !== expected.length || !timingSafeEqual(given, expected)) continue
        remember(genuine, withoutHeader(value), id, MAX_REMEMBERED)
        return id
      }
      return undefined
    },
  }
}

/**
 * A copy of a piece of the `Cookie` header. The piece itself would keep the whole header in memory.
 */
function withoutHeader(piece: string): string {
  return Buffer.from(piece).toString()
}

function signatureOf(id: string, key: KeyObject): string {
  return createHmac('sha256', key).update(id).digest('base64url')
}
