import type { Visit } from '@latchkey/core'
import type { StoredSession, StoredSessions } from '@latchkey/core/internal'
import type { Request } from 'express'
import type { SessionData } from 'express-session'
import { Store } from './classes.ts'

/** The members of a visit that concern its session. */
export type SessionVisit = Pick<Visit, 'session' | 'sessionUsed'>

type Done = (error?: unknown) => void
type Session = Request['session']

/**
 * The store of one request, and the session of express-session that uses it. The login is neither
 * shown nor written here, so a late write of the application does not undo a login or logout.
 */
export class RequestSession extends Store {
  /** The value of `req.session`; `undefined` after the session was destroyed. */
  session: Session | undefined
  /** The value of `req.sessionID`. */
  sessionID: string
  /** Resolves when the latest `req.session.save()` is done, even if it failed. */
  saving: Promise<unknown> | undefined
  readonly #sessions: StoredSessions
  readonly #stored: StoredSession
  readonly #request: Request
  /** The stored data as JSON, as this request last read or wrote them. */
  #read = '{}'

  constructor(sessions: StoredSessions, visit: SessionVisit, request: Request) {
    super()
    this.#sessions = sessions
    this.#stored = visit.session
    this.#request = request
    this.#stored.read()
    visit.sessionUsed()
    this.sessionID = this.#stored.id ?? sessions.newId()
  }

  /**
   * Creates the session from the stored data. The request must already have this object as its
   * `sessionStore`.
   */
  open(): void {
    this.#show(this.#stored.data)
  }

  /** Whether the session differs from its stored data. */
  get isChanged(): boolean {
    return (
      this.session !== undefined && this.session !== null && this.#read !== jsonOf(this.session)
    )
  }

  /**
   * Sets the cookie of a changed session before the headers are sent. Data in a store are saved
   * later, at the end of the response.
   */
  announce(): void {
    if (!this.isChanged) return
    // Data in the cookie must be saved now, because they are sent with the headers.
    if (this.#sessions.inCookie) this.save(() => {})
    else if (this.#stored.id !== this.#idNow) this.#stored.announce(this.#idNow)
  }

  /** Saves the application's data. */
  save(done: Done): void {
    this.set(this.#idNow, this.session as SessionData, done)
  }

  /** The current id of the session, which `req.auth` may have renewed. */
  get #idNow(): string {
    return this.#stored.idNow(this.sessionID)
  }

  override set(id: string, data: SessionData, done: Done = () => {}): void {
    const json = jsonOf(data)
    const saved = this.#stored.saveData(id, JSON.parse(json), this.#read).then(() => {
      this.#read = json
    })
    this.saving = saved.catch(() => {})
    settle(saved, done)
  }

  override get(id: string, done: (error: unknown, data?: SessionData | null) => void): void {
    Promise.resolve(this.#stored.load(this.#stored.idNow(id))).then(
      (record) => done(undefined, record && this.#sessionData(record.data)),
      (error) => done(error),
    )
  }

  /**
   * Creates the session, and records its data as read: at first, and after `req.session.reload()`.
   */
  override createSession(
    ...[req, data]: Parameters<Store['createSession']>
  ): ReturnType<Store['createSession']> {
    this.#read = jsonOf(data)
    return super.createSession(req, data)
  }

  /** Gives the session a new id and no data. The login stays. */
  override regenerate(_req: Request, done: Done): void {
    const renewed = this.#stored.regenerate().then(() => {
      this.sessionID = this.#stored.id ?? this.#sessions.newId()
      this.#show({})
    })
    settle(renewed, done)
  }

  override destroy(id: string, done: Done = () => {}): void {
    const isOwn = id === this.sessionID || id === this.#idNow
    if (isOwn) this.session = undefined
    settle(isOwn ? this.#stored.end() : this.#stored.endOther(id), done)
  }

  /** Does nothing, because the core touches a session when it opens it. */
  override touch(_id: string, _data: SessionData, done: Done = () => {}): void {
    done()
  }

  #show(data: StoredSession['data']): void {
    this.createSession(this.#request, this.#sessionData(data))
  }

  /**
   * A copy of the data with a cookie, as express-session needs them. The application may change the
   * copy.
   */
  #sessionData(data: StoredSession['data']): SessionData {
    const { settings, now } = this.#sessions
    const { absoluteSeconds, cookie } = settings
    const expiresAt = this.#stored.current?.expiresAt ?? now() + absoluteSeconds
    return {
      ...JSON.parse(JSON.stringify(data)),
      cookie: {
        ...cookie,
        httpOnly: true,
        originalMaxAge: (expiresAt - now()) * 1000,
        expires: new Date(expiresAt * 1000),
      },
    }
  }
}

/** The application's data in a session as JSON, without the cookie, for comparisons. */
function jsonOf({ cookie: _cookie, ...data }: Partial<SessionData>): string {
  return JSON.stringify(data)
}

function settle(promise: Promise<unknown>, done: Done): void {
  promise.then(
    () => done(),
    (error) => done(error),
  )
}
