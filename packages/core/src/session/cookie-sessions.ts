import { CookieSessionError } from '../errors/errors.ts'
import { OldestFirst, remember } from '../shared/oldest-first.ts'
import { isSameLogin } from './end-sessions.ts'
import { createRefreshLock } from './refresh-lock.ts'
import { createSessionChunks, type SealedSession, type SessionChunks } from './session-chunks.ts'
import { newSessionId } from './session-cookie.ts'
import { expiryOf, hasExpired, isTouchDue, type SessionSettings } from './session-record.ts'
import { createSessionsById } from './sessions-by-id.ts'
import { StoredSession } from './stored-session.ts'
import type { StoredSessions } from './stored-sessions.ts'
import { createMarks } from './stores/marks.ts'
import { createProcessLock } from './stores/process-lock.ts'
import type { SessionRecord, SessionStore, UpdateOutcome } from './stores/session-store.ts'

/**
 * The seconds for which this process remembers a record that it wrote. Until the browser receives
 * the new cookie, its requests have the old record.
 */
const RECENT_SECONDS = 60
const MAX_RECENT = 1000

/** The part of a response that says whether its headers were sent. */
interface Sent {
  readonly isSent?: boolean | undefined
}

/**
 * Makes sessions that are sealed in cookies, without a store. The process remembers the sessions
 * that it has written in the last minute or destroyed, so that overlapping requests do not undo
 * each other's changes. Other processes do not share this memory.
 *
 * @param now - The time in whole seconds.
 * @param lockSeconds - The seconds for which one refresh may keep others waiting.
 * @param failed - Called with the error of every session that could not be written.
 */
export function createCookieSessions(
  settings: SessionSettings,
  now: () => number,
  lockSeconds: number,
  failed: (error: CookieSessionError) => void,
): StoredSessions {
  const shared: Shared = {
    chunks: createSessionChunks(settings),
    memory: createMemory(now, settings.absoluteSeconds),
    now,
    failed,
    hasEnded: (id) => all.ends.hear?.(id),
  }
  const refreshLock = createRefreshLock(createProcessLock(now), lockSeconds)
  const over = (store: CookieStore) =>
    createSessionsById({
      ...{ settings, now, store, inCookie: true, newId: newSessionId, endedLogins: undefined },
      refreshLock,
      setCookies: (change) => store.setCookies(change === null),
      mustBeWritable: () => store.mustBeWritable(),
      endRenewed: () => store.endRenewed(),
    })
  const all = over(new CookieStore(shared))

  return {
    ...all,
    open(cookieHeader, response, use) {
      const found = shared.chunks.read(cookieHeader)
      const store = new CookieStore(shared, cookieHeader, response, found)
      const sessions = over(store)
      const time = now()
      // A session whose cookie has expired stays expired, even if another request wrote a newer
      // record.
      const record = found && !hasExpired(found.record, time) ? store.get(found.id) : undefined
      if (!found || !record) return use(new StoredSession(sessions))
      const { id } = found
      const later = expiryOf(record.login, settings.idleSeconds, time)
      const isDue =
        later > record.expiresAt && isTouchDue(record.expiresAt, settings.idleSeconds, time)
      // Once the headers are sent, no cookie can extend the session in the browser.
      if (isDue && !response.isSent) touchIfItFits(store, id, record, later)
      return use(new StoredSession(sessions, { id, record: store.get(id) as SessionRecord }))
    },
  }
}

/**
 * Extends a session. One that has no room for it, which an earlier release may have stored, stays as
 * it is and expires earlier. The failure is logged.
 */
function touchIfItFits(
  store: CookieStore,
  id: string,
  record: SessionRecord,
  expiresAt: number,
): void {
  try {
    store.touch(id, record, expiresAt)
  } catch (error) {
    if (!(error instanceof CookieSessionError)) throw error
  }
}

/** The state that the requests of one instance share. */
interface Shared {
  readonly chunks: SessionChunks
  readonly memory: Memory
  now(): number
  failed(error: CookieSessionError): void
  hasEnded(id: string): void
}

/**
 * A session store for one request, with the session of its cookie. The session is written when the
 * headers are sent.
 */
class CookieStore implements SessionStore {
  readonly #shared: Shared
  readonly #cookieHeader: string | null | undefined
  readonly #response: Sent
  /**
   * The session before its last change of id: at first, that of the request's cookie. A renewal
   * reads it again after it has the new id.
   */
  #before: SealedSession | undefined
  #session: SealedSession | undefined
  #isChanged = false
  #written: { readonly record: SessionRecord | undefined; readonly lines: readonly string[] } =
    NOTHING_WRITTEN

  constructor(
    shared: Shared,
    cookieHeader?: string | null,
    response: Sent = {},
    session?: SealedSession,
  ) {
    this.#shared = shared
    this.#cookieHeader = cookieHeader
    this.#response = response
    this.#before = session
    this.#session = session
  }

  get(id: string): SessionRecord | undefined {
    const held = [this.#session, this.#before].find((one) => one?.id === id)
    const own = held?.record
    const latest = this.#shared.memory.latest(id, own)
    if (own && latest && latest !== own && held === this.#session) {
      this.#session = { id, record: latest }
      this.#isChanged = true
    }
    return latest
  }

  set(id: string, record: SessionRecord): void {
    this.#put(id, { ...record, version: 1 })
  }

  update(id: string, record: SessionRecord, seen: SessionRecord): UpdateOutcome {
    const stored = this.get(id)
    if (!stored) return 'ended'
    if (stored.version !== seen.version) return 'changed'
    this.#put(id, { ...record, version: versionOf(stored) + 1 })
    return 'updated'
  }

  touch(id: string, seen: SessionRecord, expiresAt: number): void {
    this.#put(id, { ...seen, expiresAt, version: versionOf(seen) + 1 })
  }

  destroy(id: string): void {
    // A renewal by this request destroys the id before, and keeps the session.
    const isRenewed = this.#before?.id === id && this.#session?.id !== id
    this.#end(id, !isRenewed)
    if (this.#session?.id !== id) return
    this.#isChanged = true
    this.mustBeWritable()
  }

  health(): { status: 'ok' } {
    return { status: 'ok' }
  }

  mustBeWritable(): void {
    if (!this.#response.isSent) return
    this.#fail(
      new CookieSessionError(
        'LATCHKEY_SESSION_NOT_SENT',
        'The session is kept in the cookie, and the headers of the answer have left, so it cannot change any more.',
      ),
    )
  }

  /**
   * The `Set-Cookie` values for the changes, including changes by other requests of this process.
   *
   * @param isRemoved - Whether this request itself has ended the session. Then the cookie is
   *   removed, also one that this process cannot open or whose session has ended before: another
   *   process may accept it.
   */
  setCookies(isRemoved: boolean): readonly string[] {
    if (!this.#isChanged && !isRemoved) return NOTHING_WRITTEN.lines
    const { id } = this.#session ?? {}
    const record = isRemoved || id === undefined ? undefined : this.get(id)
    // Another request has ended or renewed the session. By now, the browser may have a new cookie.
    if (!record && !isRemoved) return NOTHING_WRITTEN.lines
    if (this.#written !== NOTHING_WRITTEN && this.#written.record === record) {
      return this.#written.lines
    }
    const { chunks, now } = this.#shared
    const kept =
      id !== undefined && record
        ? chunks.write({ id, record }, Math.max(1, Math.ceil(record.expiresAt - now())))
        : []
    const cleared = chunks.clear(this.#cookieHeader, kept, this.#written.lines)
    this.#written = { record, lines: [...kept, ...cleared] }
    return this.#written.lines
  }

  /**
   * Ends the session that has the login of the request's cookie under a new id, because another
   * request of this process has renewed it.
   */
  endRenewed(): void {
    if (this.#before) this.#end(this.#before.id, true)
  }

  /** @param withRenewed - Whether the session also ends under the ids that it got by renewals. */
  #end(id: string, withRenewed: boolean): void {
    const { memory, hasEnded } = this.#shared
    for (let one: string | undefined = id; one !== undefined; ) {
      memory.end(one)
      hasEnded(one)
      one = withRenewed ? memory.renewed(one) : undefined
    }
  }

  #put(id: string, changed: SessionRecord): void {
    this.mustBeWritable()
    const { chunks, memory } = this.#shared
    try {
      const record = chunks.fit(id, changed)
      memory.keep(id, record)
      const before = this.#session
      if (before && before.id !== id) {
        this.#before = before
        if (isSameLogin(before.record.login, record.login)) memory.renew(before.id, id)
      }
      this.#session = { id, record }
      this.#isChanged = true
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): never {
    if (error instanceof CookieSessionError) this.#shared.failed(error)
    throw error
  }
}

const NOTHING_WRITTEN = { record: undefined, lines: [] }

/**
 * The memory of the sessions in cookies that this process wrote in the last minute or destroyed.
 */
interface Memory {
  /**
   * The newer of `own`, the record in the cookie, and the record that this process wrote;
   * `undefined` if the session was destroyed.
   */
  latest(id: string, own: SessionRecord | undefined): SessionRecord | undefined
  keep(id: string, record: SessionRecord): void
  end(id: string): void
  renew(id: string, newId: string): void
  /** The new id of a renewed session; `undefined` if this process has not renewed it. */
  renewed(id: string): string | undefined
}

function createMemory(now: () => number, absoluteSeconds: number): Memory {
  const recent = new OldestFirst<
    string,
    { readonly record: SessionRecord; readonly until: number }
  >()
  const ended = createMarks(now)
  const renewed = new OldestFirst<string, string>()
  return {
    latest(id, own) {
      if (ended.isConsumed(id)) return undefined
      const known = recent.get(id)
      if (!known || known.until <= now()) return own
      return own && versionOf(own) >= versionOf(known.record) ? own : known.record
    },
    keep: (id, record) =>
      remember(recent, id, { record, until: now() + RECENT_SECONDS }, MAX_RECENT),
    end(id) {
      recent.delete(id)
      void ended.consume(id, absoluteSeconds)
    },
    renew: (id, newId) => remember(renewed, id, newId, MAX_RECENT),
    renewed: (id) => renewed.get(id),
  }
}

function versionOf({ version }: SessionRecord): number {
  return typeof version === 'number' ? version : 0
}
