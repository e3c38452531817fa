import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { clearCookie, readCookie, setCookie } from '../http/cookies.ts'
import { randomText } from '../shared/random.ts'
import { remember } from '../shared/records.ts'
import { deriveKey } from '../shared/sealing.ts'
import type { SessionSettings } from './session-record.ts'

const MAX_LENGTH = 256
const MAX_REMEMBERED = 10_000
/** 32 bytes as base64url. */
const SIGNATURE_LENGTH = 43

/** The change of the browser's session cookie: the new id, or `null` if the session has ended. */
export type SessionNews = string | null | undefined

/** The cookie that carries the signed id of a session. */
export interface SessionCookie {
  /** The id that a `Cookie` header carries, if it is genuine. */
  idIn(cookieHeader: string | null | undefined): string | undefined
  /** The `Set-Cookie` values that tell the browser. */
  setCookies(news: SessionNews): readonly string[]
}

/** Makes the cookie of a session that is in a store. */
export function createSessionCookie(settings: SessionSettings): SessionCookie {
  const { cookieName, cookie, absoluteSeconds } = settings
  const signer = createCookieSigner(settings.secrets)
  const scope = { ...cookie, maxAgeSeconds: absoluteSeconds }
  // Each answer asks twice: when it is written, and before it is sent.
  let latest: { readonly news: string; readonly lines: readonly string[] } | undefined
  return {
    idIn: (header) => signer.verify(readCookie(header, cookieName)),
    setCookies(news) {
      if (news === undefined) return NO_COOKIES
      if (news === null) return [clearCookie(cookieName, cookie)]
      if (latest?.news !== news) {
        latest = { news, lines: [setCookie(cookieName, signer.sign(news), scope)] }
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
  /** The id of a signed cookie value, `undefined` unless one of the secrets signed it. */
  verify(value: string | undefined): string | undefined
}

/**
 * Makes the signer.
 *
 * @param secrets - The first signs; every one verifies.
 */
export function createCookieSigner(secrets: readonly string[]): CookieSigner {
  const keys = secrets.map((secret) => {
    const derived = deriveKey(secret, 'session-cookie').export().toString('base64url')
    return createSecretKey(Buffer.from(derived))
  })
  const [signing] = keys
  if (!signing) throw new TypeError('at least one secret is needed')
  // Genuine values and their ids: an HMAC costs more than all else that reads a session. A forged value is another text.
  // How long it takes not to find it tells nothing of the genuine one: texts are looked for by a hash that is seeded in
  // each process.
  const genuine = new Map<string, string>()
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

/** A copy of a piece of a text: the piece itself would keep the whole text in memory. */
function withoutHeader(piece: string): string {
  return Buffer.from(piece).toString()
}

function signatureOf(id: string, key: KeyObject): string {
  return createHmac('sha256', key).update(id).digest('base64url')
}
