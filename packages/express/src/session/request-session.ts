import type { Visit } from '@latchkey/core'
import type { StoredSession, StoredSessions } from '@latchkey/core/internal'
import type { Request } from 'express'
import type { SessionData } from 'express-session'
import { Store } from './classes.ts'

/** The visit of a request, as far as its session goes. */
export type SessionVisit = Pick<Visit, 'session' | 'sessionUsed'>

type Done = (error?: unknown) => void
type Session = Request['session']

/**
 * The session of express-session for one request, and the store that its methods work on. The login is
 * neither shown nor written here, so a late write of the application undoes nothing.
 */
export class RequestSession extends Store {
  /** The value of `req.session`; `undefined` once it is destroyed. */
  session: Session | undefined
  /** The value of `req.sessionID`. */
  sessionID: string
  /** Settles when what `req.session.save()` began is done. */
  saving: Promise<unknown> | undefined
  readonly #sessions: StoredSessions
  readonly #stored: StoredSession
  readonly #request: Request
  /** The stored data as this request read or wrote it last. */
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

  /** Makes the session from the stored data. By then the request has this as its `sessionStore`. */
  open(): void {
    this.#show(this.#stored.data)
  }

  /** Whether the session differs from its stored data. */
  get isChanged(): boolean {
    return (
      this.session !== undefined && this.session !== null && this.#read !== jsonOf(this.session)
    )
  }

  /** Tells the browser the id of a session that is saved at the end of the response. */
  announce(): void {
    if (!this.isChanged) return
    // Data in the cookie has to leave with the headers; data in a store can follow them.
    if (this.#sessions.inCookie) this.save(() => {})
    else if (this.#stored.id !== this.#idNow) this.#stored.announce(this.#idNow)
  }

  /** Saves what the application has changed. */
  save(done: Done): void {
    this.set(this.#idNow, this.session as SessionData, done)
  }

  /** The session's current id; `req.auth` may have given it a new one. */
  get #idNow(): string {
    return this.#stored.idNow(this.sessionID)
  }

  override set(id: string, data: SessionData, done: Done = () => {}): void {
    const json = jsonOf(data)
    const saved = this.#stored
      .saveData(this.#stored.idNow(id), JSON.parse(json), this.#read)
      .then(() => {
        this.#read = json
      })
    this.saving = saved.catch(() => {})
    settle(saved, done)
  }

  override get(id: string, done: (error: unknown, data?: SessionData | null) => void): void {
    Promise.resolve(this.#stored.load(id)).then(
      (record) => done(undefined, record && this.#sessionData(record.data)),
      (error) => done(error),
    )
  }

  /** Remembers the data as read, at first and after `req.session.reload()`. */
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
    this.session = undefined
    settle(id === this.#stored.id ? this.#stored.end() : Promise.resolve(), done)
  }

  /** Core touches a session when it opens it; there is nothing left to do. */
  override touch(_id: string, _data: SessionData, done: Done = () => {}): void {
    done()
  }

  #show(data: StoredSession['data']): void {
    this.createSession(this.#request, this.#sessionData(data))
  }

  /** A copy, which the application may change. */
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

/** The application's data in a session, as express-session compares it. */
function jsonOf({ cookie: _cookie, ...data }: Partial<SessionData>): string {
  return JSON.stringify(data)
}

function settle(promise: Promise<unknown>, done: Done): void {
  promise.then(
    () => done(),
    (error) => done(error),
  )
}
