import type { SessionsById } from './sessions-by-id.ts'
import type { StoredSession } from './stored-session.ts'

/**
 * The application's own data in the session, beside the login. The data that was read is a
 * snapshot; every change is stored before its promise resolves.
 */
export interface SessionData {
  /**
   * The stored data; an empty object where there is none.
   *
   * @throws {@link SessionStoreError} when the store could not answer: a failure is never an empty session.
   */
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

/** The parts of a visit that the data of a session needs. */
export interface DataVisit {
  sessionUsed(): void
  setCookies(cookies: readonly string[]): void
}

/** Makes the data of the session of one visit. */
export function createSessionData(
  sessions: SessionsById,
  session: StoredSession,
  visit: DataVisit,
): SessionData {
  const openedId = session.id
  let stored = session.data
  const store = async (data: Record<string, unknown>): Promise<void> => {
    visit.sessionUsed()
    session.mustBeKnown()
    const id = session.id ?? openedId
    if (id === undefined && Object.keys(data).length === 0) return
    await session.saveData(id ?? sessions.newId(), data, JSON.stringify(stored))
    stored = data
    visit.setCookies(session.setCookies)
  }
  return {
    get() {
      visit.sessionUsed()
      session.mustBeKnown()
      return stored
    },
    set(values) {
      const data = Object.entries({ ...stored, ...values })
      return store(Object.fromEntries(data.filter(([, value]) => value !== undefined)))
    },
    clear: () => store({}),
  }
}
