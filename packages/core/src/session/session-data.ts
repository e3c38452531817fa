import { setCookie } from '../http/cookies.ts'
import { applicationData } from './session-record.ts'
import type { SessionRecord } from './session-store.ts'
import type { StoredSession, StoredSessions } from './stored-session.ts'

/**
 * The application's own data in the session, beside the login. What was read is one moment's; every
 * change is stored before its promise resolves.
 */
export interface SessionData {
  /** What is stored; an empty object where there is none. */
  get(): Readonly<Record<string, unknown>>
  /**
   * Stores values, each under its name; `undefined` removes one. Names that are not given stay as
   * another request may have left them. A visitor without a session gets one.
   *
   * @throws {@link SessionEndedError} when the session has ended: a late write never brings it back.
   */
  set(values: Readonly<Record<string, unknown>>): Promise<void>
  /** Removes everything that the application has stored; the login stays. */
  clear(): Promise<void>
}

/** What the data of a session needs of the visit. */
export interface DataVisit {
  sessionUsed(): void
  setCookie(cookie: string): void
}

/** Makes the data of the session of one visit. */
export function createSessionData(
  sessions: StoredSessions,
  session: StoredSession,
  visit: DataVisit,
): SessionData {
  let id = session.id
  let stored = session.record ? applicationData(session.record) : {}
  const store = async (data: Record<string, unknown>): Promise<void> => {
    visit.sessionUsed()
    if (session.failure) throw session.failure
    const given = session.id ?? id
    if (given === undefined && Object.keys(data).length === 0) return
    const target = given ?? sessions.newId()
    await session.saveData(target, data as SessionRecord, JSON.stringify(stored))
    stored = data
    if (given !== undefined) return
    id = target
    const { cookie, cookieName, absoluteSeconds } = sessions.settings
    const scope = { ...cookie, maxAgeSeconds: absoluteSeconds }
    visit.setCookie(setCookie(cookieName, sessions.signCookie(id), scope))
  }
  return {
    get() {
      visit.sessionUsed()
      return stored
    },
    set(values) {
      const data = Object.entries({ ...stored, ...values })
      return store(Object.fromEntries(data.filter(([, value]) => value !== undefined)))
    },
    clear: () => store({}),
  }
}
