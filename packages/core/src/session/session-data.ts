import type { SessionsById } from './sessions-by-id.ts'
import type { StoredSession } from './stored-session.ts'

/**
 * The application's own data in the session. `get()` returns the data as this request has read it.
 * The promises of `set()` and `clear()` resolve once the change is stored.
 */
export interface SessionData {
  /**
   * Returns the data; an empty object if nothing is stored.
   *
   * @throws {@link SessionStoreError} when the store did not answer, so that a failure is not taken
   *   for an empty session.
   */
  get(): Readonly<Record<string, unknown>>
  /**
   * Stores values by name; `undefined` removes the value. Values of other names are kept, even if
   * another request has changed them meanwhile. A visitor without a session gets a new session.
   *
   * @throws {@link SessionEndedError} when the session has expired or was destroyed meanwhile;
   *   nothing is stored.
   */
  set(values: Readonly<Record<string, unknown>>): Promise<void>
  /** Removes all data of the application. The user stays logged in. */
  clear(): Promise<void>
}

/** The methods of a visit that {@link createSessionData} needs. */
export interface DataVisit {
  sessionUsed(): void
  setCookies(cookies: readonly string[]): void
}

/** Makes the {@link SessionData} of one visit. */
export function createSessionData(
  sessions: SessionsById,
  session: StoredSession,
  visit: DataVisit,
): SessionData {
  const openedId = session.id
  let stored = session.data
  let writing: Promise<void> | undefined
  const write = async (change: () => Record<string, unknown>): Promise<void> => {
    session.mustBeKnown()
    const data = change()
    const id = session.id ?? openedId
    if (id === undefined && Object.keys(data).length === 0) return
    await session.saveData(id ?? sessions.newId(), data, JSON.stringify(stored))
    stored = data
    visit.setCookies(session.setCookies)
  }
  /** Each change waits for those before it, and is made to the data that they have stored. */
  const store = (change: () => Record<string, unknown>): Promise<void> => {
    visit.sessionUsed()
    const written = writing ? writing.then(() => write(change)) : write(change)
    const settled = written.then(ended, ended)
    function ended(): void {
      if (writing === settled) writing = undefined
    }
    writing = settled
    return written
  }
  return {
    get() {
      visit.sessionUsed()
      session.mustBeKnown()
      return stored
    },
    set: (values) =>
      store(() => {
        const data = Object.entries({ ...stored, ...values })
        return Object.fromEntries(data.filter(([, value]) => value !== undefined))
      }),
    clear: () => store(() => ({})),
  }
}
