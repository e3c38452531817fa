import type { AuthSession } from './session.ts'
import type { SessionRecord } from './session-store.ts'
import type { SessionSettings } from './stored-session.ts'

/** The index keys under which a session can be found. */
export function indexKeys(session: AuthSession): string[] {
  const keys = [indexKey(session.issuer, 'sub', session.sub)]
  if (session.sid) keys.push(indexKey(session.issuer, 'sid', session.sid))
  return keys
}

/** One index key: everything of this issuer with this `sub` or `sid`. */
export function indexKey(issuer: string, kind: 'sub' | 'sid', value: string): string {
  return JSON.stringify([kind, issuer, value])
}

/** What the application's part of the old session becomes when `session` begins. */
export function carriedData(
  previous: SessionRecord | undefined,
  session: AuthSession,
  settings: SessionSettings,
): Record<string, unknown> {
  if (!previous) return {}
  const { latchkey } = previous
  const data = Object.entries(applicationData(previous))
  if (latchkey) {
    const isSameUser = latchkey.issuer === session.issuer && latchkey.sub === session.sub
    return isSameUser ? Object.fromEntries(data) : {}
  }
  return Object.fromEntries(data.filter(([name]) => settings.keepAnonymousData.includes(name)))
}

/**
 * The application's part of a record: string keys alone. What a store notes on a record that it read,
 * under a symbol, is about that record and no other.
 */
export function applicationData(record: SessionRecord): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => name !== 'cookie' && name !== 'latchkey'),
  )
}

/**
 * The application's part when another request has stored something meanwhile: keys that this request
 * changed or deleted are as it left them, every other key is as it is stored.
 *
 * @param read - What this request had read, as JSON.
 */
export function mergeData(
  read: string,
  mine: SessionRecord,
  stored: SessionRecord,
): Record<string, unknown> {
  const before = JSON.parse(read) as Record<string, unknown>
  const after = applicationData(mine)
  const merged = applicationData(stored)
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (JSON.stringify(before[name]) === JSON.stringify(after[name])) continue
    if (Object.hasOwn(after, name)) merged[name] = after[name]
    else delete merged[name]
  }
  return merged
}

/** Writes the cookie half: stores take the time to live from it. */
export function stamp(
  record: SessionRecord,
  settings: SessionSettings,
  now: number,
): SessionRecord {
  const idleEnd = now + settings.idleSeconds
  const end = Math.min(idleEnd, record.latchkey?.expiresAt ?? idleEnd)
  const { path, domain, secure, sameSite } = settings.cookie
  return {
    ...record,
    cookie: {
      originalMaxAge: (end - now) * 1000,
      expires: new Date(end * 1000).toISOString(),
      httpOnly: true,
      path,
      ...(domain ? { domain } : {}),
      secure,
      sameSite,
    },
  }
}

/** When a record ends unless it is touched, in seconds since the epoch. One without an end has none. */
export function expiryOf({ cookie: { expires } }: SessionRecord): number {
  if (!expires) return Number.POSITIVE_INFINITY
  return (typeof expires === 'string' ? Date.parse(expires) : expires.getTime()) / 1000
}

/** Whether the login of a record, if there is one, has not reached its end. */
export function isLive(record: SessionRecord, now: number): boolean {
  return record.latchkey === undefined || record.latchkey.expiresAt > now
}
