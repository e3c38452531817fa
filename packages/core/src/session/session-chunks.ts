import { CookieSessionError } from '../errors/errors.ts'
import { clearCookie, cookieNames, readCookie, setCookie } from '../http/cookies.ts'
import { freeze } from '../shared/records.ts'
import { createByteSealer } from '../shared/sealing.ts'
import type { SessionSettings } from './session-record.ts'
import type { SessionRecord } from './stores/session-store.ts'

/**
 * The most characters of a sealed session. With the cookie names and the login cookies, request
 * headers then take at most 8 kB.
 */
const MAX_LENGTH = 7800
/**
 * The most characters of a cookie. Browsers drop a cookie of more than 4,096 bytes, including its
 * name and attributes.
 */
const MAX_COOKIE = 4000
const ATTRIBUTES = 80
/** The digits that the version of a session may need, so that a session which fits can be touched. */
const VERSION_DIGITS = 7

/** A session from a cookie, with its id. */
export interface SealedSession {
  readonly id: string
  readonly record: SessionRecord
}

/**
 * Seals sessions in cookies and opens them. The first cookie has the name of the session cookie.
 * The names of further cookies have a number added.
 */
export interface SessionChunks {
  /**
   * The session in a `Cookie` header; `undefined` if it is missing, incomplete or not sealed here.
   */
  read(cookieHeader: string | null | undefined): SealedSession | undefined
  /**
   * Checks the size of a session. Returns its record as `read` will return it from the cookie.
   *
   * @throws {@link CookieSessionError} with `LATCHKEY_SESSION_TOO_LARGE` naming the parts and their
   *   sizes.
   */
  fit(id: string, record: SessionRecord): SessionRecord
  /** The `Set-Cookie` values of a session. */
  write(session: SealedSession, maxAgeSeconds: number): string[]
  /**
   * The `Set-Cookie` values that remove the chunks of the request and of `written` that are not in
   * `kept`.
   *
   * @param kept - The `Set-Cookie` values of the session; empty to remove the session.
   * @param written - The `Set-Cookie` values that this response had before.
   */
  clear(
    cookieHeader: string | null | undefined,
    kept: readonly string[],
    written: readonly string[],
  ): string[]
}

/** Makes {@link SessionChunks}. */
export function createSessionChunks({
  secrets,
  cookieName,
  cookie,
}: SessionSettings): SessionChunks {
  const sealer = createByteSealer(secrets, 'session')
  const chunkLength = Math.max(MAX_COOKIE - ATTRIBUTES - cookieName.length, 1000)
  const nameOf = (index: number): string => (index === 0 ? cookieName : `${cookieName}.${index}`)

  return {
    read(cookieHeader) {
      const first = readCookie(cookieHeader, cookieName)
      // The first chunk begins with the number of chunks, so that a chunk left over from a longer
      // session is ignored.
      const [, count, start] = /^([1-9])\.([\w-]+)$/.exec(first ?? '') ?? []
      if (!count || start === undefined) return undefined
      const rest = Array.from({ length: Number(count) - 1 }, (_, index) =>
        readCookie(cookieHeader, nameOf(index + 1)),
      )
      if (rest.includes(undefined)) return undefined
      const plain = sealer.open(Buffer.from([start, ...rest].join(''), 'base64url'), cookieName)
      return plain === undefined ? undefined : decode(plain.toString())
    },
    fit(id, record) {
      const plain = encode({ id, record })
      const growth = Math.max(0, VERSION_DIGITS - String(record.version).length)
      const length = sealedLength(Buffer.byteLength(plain) + growth)
      if (length > MAX_LENGTH) throw tooLarge(length, record)
      return decode(plain).record
    },
    write(session, maxAgeSeconds) {
      const sealed = sealer.seal(encode(session), cookieName).toString('base64url')
      const count = Math.ceil(sealed.length / chunkLength)
      return Array.from({ length: count }, (_, index) => {
        const chunk = sealed.slice(index * chunkLength, (index + 1) * chunkLength)
        const value = index === 0 ? `${count}.${chunk}` : chunk
        return setCookie(nameOf(index), value, { ...cookie, maxAgeSeconds })
      })
    },
    clear(cookieHeader, kept, written) {
      const present = cookieNames(cookieHeader, `${cookieName}.`).filter((name) =>
        /^[1-9]$/.test(name.slice(cookieName.length + 1)),
      )
      const names = new Set([cookieName, ...present, ...written.map(cookieNameOf)])
      for (const line of kept) names.delete(cookieNameOf(line))
      return [...names].map((name) => clearCookie(name, cookie))
    },
  }
}

function cookieNameOf(line: string): string {
  return line.slice(0, line.indexOf('='))
}

function encode({ id, record: { version, expiresAt, data, login } }: SealedSession): string {
  return JSON.stringify([id, version, expiresAt, data, login])
}

function decode(plain: string): SealedSession {
  const [id, version, expiresAt, data, login] = JSON.parse(plain)
  return { id, record: freeze({ ...(login && { login }), data, expiresAt, version }) }
}

/**
 * The number of base64url characters for a sealed text of `bytes` bytes: 28 bytes of nonce and tag
 * are added, and 3 bytes become 4 characters.
 */
function sealedLength(bytes: number): number {
  return Math.ceil(((bytes + 28) * 4) / 3)
}

function tooLarge(length: number, { login, data }: SessionRecord): CookieSessionError {
  const sizes = Object.entries({
    'the ID token': login?.idToken,
    'the access token': login?.tokens?.accessToken,
    'the refresh token': login?.tokens?.refreshToken,
    'the user': login?.user,
    'the data of the application': data,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({
      name,
      size: Math.ceil((Buffer.byteLength(JSON.stringify(value)) * 4) / 3),
    }))
    .sort((one, other) => other.size - one.size)
    .map(({ name, size }) => `${name} ${size}`)
  return new CookieSessionError(
    'LATCHKEY_SESSION_TOO_LARGE',
    `The session takes ${length} characters of cookies, and at most ${MAX_LENGTH} are allowed. It was not stored. Its largest parts: ${sizes.join(', ')}.`,
  )
}
