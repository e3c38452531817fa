import type { CookieScope } from '../http/cookies.ts'
import type { AuthSession } from './session.ts'
import type { SessionRecord } from './stores/session-store.ts'

/** Settings of sessions, every default filled in. */
export interface SessionSettings {
  readonly secrets: readonly string[]
  readonly cookieName: string
  readonly cookie: CookieScope
  readonly idleSeconds: number
  readonly absoluteSeconds: number
  /** Names of the data that an anonymous visitor keeps at login. */
  readonly keepAnonymousData: readonly string[]
}

type Data = SessionRecord['data']

/**
 * The keys of a session in the index of the store: the key of its user, and the key of its session
 * at the provider if `sid` is known.
 */
export function indexKeys(login: AuthSession): [string, ...string[]] {
  const ofUser = indexKey(login.issuer, 'sub', login.sub)
  return login.sid ? [ofUser, indexKey(login.issuer, 'sid', login.sid)] : [ofUser]
}

/** The index key of all sessions of an issuer with this `sub` or `sid`. */
export function indexKey(issuer: string, kind: 'sub' | 'sid', value: string): string {
  return JSON.stringify([kind, issuer, value])
}

/**
 * The application's data that a login takes over from the session before: all of it if the user is
 * the same, nothing from another user, and the names in `keepAnonymousData` from an anonymous
 * visitor.
 */
export function carriedData(
  { login: previous, data }: Pick<SessionRecord, 'login' | 'data'>,
  login: AuthSession,
  keepAnonymousData: readonly string[],
): Data {
  if (previous) {
    const isSameUser = previous.issuer === login.issuer && previous.sub === login.sub
    return isSameUser ? data : {}
  }
  return Object.fromEntries(
    Object.entries(data).filter(([name]) => keepAnonymousData.includes(name)),
  )
}

/**
 * Merges the application's data after another request has stored a change: names that this request
 * changed or removed win, all others are taken from the store.
 *
 * @param read - The data that this request had read.
 */
export function mergeData(read: Data, mine: Data, stored: Data): Data {
  const merged: Record<string, unknown> = { ...stored }
  for (const name of new Set([...Object.keys(read), ...Object.keys(mine)])) {
    if (JSON.stringify(read[name]) === JSON.stringify(mine[name])) continue
    if (Object.hasOwn(mine, name)) merged[name] = mine[name]
    else delete merged[name]
  }
  return merged
}

/**
 * The expiry of a session that is used now: after the idle time, or at the absolute expiry of its
 * login if that is earlier.
 */
export function expiryOf(login: AuthSession | undefined, idleSeconds: number, now: number): number {
  return Math.min(now + idleSeconds, login?.expiresAt ?? Number.POSITIVE_INFINITY)
}

/** Whether a session has expired: idle for too long, or past the absolute expiry of its login. */
export function hasExpired({ login, expiresAt }: SessionRecord, now: number): boolean {
  // A record without an expiry, which a store may return, counts as expired.
  return !(expiresAt > now) || (login !== undefined && login.expiresAt <= now)
}

const TOUCH_SECONDS = 60

/**
 * Whether a session in use must be touched: `touchSeconds` after the last touch, or a quarter of
 * the idle time if that is shorter.
 *
 * @param expiresAt - When the session expires unless it is touched.
 * @param touchSeconds - The seconds between two touches, if the store sets them. Default 60.
 */
export function isTouchDue(
  expiresAt: number,
  idleSeconds: number,
  now: number,
  touchSeconds: number = TOUCH_SECONDS,
): boolean {
  const touchedAt = expiresAt - idleSeconds
  return now - touchedAt >= Math.min(touchSeconds, Math.floor(idleSeconds / 4))
}
