import type { SessionRecord, StoredSession, StoredSessions } from '@latchkey/core'
import type { Request } from 'express'
import expressSession, { type SessionData } from 'express-session'

/** A request as express-session sees it. */
export interface SessionView extends Request {
  readonly latchkeySession: StoredSession
  /** The stored data of this session id, as this request read or wrote it last. */
  latchkeyStored: { readonly id: string; readonly json: string } | undefined
  /** Settles when what `req.session.save()` began is done. */
  latchkeySaving: Promise<unknown> | undefined
}

type Done = (error?: unknown) => void

/**
 * The store that express-session works on: the application's part of each record. The part of the
 * kit is neither shown nor written, so a late write of the application undoes nothing.
 */
export class ViewStore extends expressSession.Store {
  readonly #sessions: StoredSessions
  #inflating: SessionView | undefined

  constructor(sessions: StoredSessions) {
    super()
    this.#sessions = sessions
  }

  /** Runs `inflate`, during which the record of the view answers without a look-up. */
  inflating(view: SessionView, inflate: () => void): void {
    this.#inflating = view
    try {
      inflate()
    } finally {
      this.#inflating = undefined
    }
  }

  override get(id: string, done: (error: unknown, data?: SessionData | null) => void): void {
    const opened = this.#inflating?.latchkeySession
    if (opened) {
      done(undefined, opened.id === id ? this.#applicationPart(opened.record) : undefined)
      return
    }
    this.#sessions.load(id).then(
      (record) => done(undefined, this.#applicationPart(record)),
      (error) => done(error),
    )
  }

  override set(id: string, data: SessionData, done: Done = () => {}): void {
    const view = (data as unknown as { req: SessionView }).req
    const json = jsonOf(data)
    const record = data as unknown as SessionRecord
    const saved = view.latchkeySession.saveData(id, record, storedJson(view)).then(() => {
      view.latchkeyStored = { id, json }
    })
    view.latchkeySaving = saved.catch(() => {})
    settle(saved, done)
  }

  /** Remembers what was read: at first, and when `req.session.reload()` reads again. */
  override createSession(
    ...[req, data]: Parameters<expressSession.Store['createSession']>
  ): ReturnType<expressSession.Store['createSession']> {
    ;(req as SessionView).latchkeyStored = { id: req.sessionID, json: jsonOf(data) }
    return super.createSession(req, data)
  }

  override destroy(id: string, done: Done = () => {}): void {
    const ended = this.#sessions
      .load(id)
      .then((record) => this.#sessions.destroy(id, record?.latchkey))
    settle(ended, done)
  }

  /** Sessions are prolonged when they are opened; there is nothing left to do. */
  override touch(_id: string, _data: SessionData, done: Done = () => {}): void {
    done()
  }

  #applicationPart(record: SessionRecord | undefined): SessionData | undefined {
    if (!record) return undefined
    const { latchkey, cookie, ...data } = record
    const { settings } = this.#sessions
    const end = latchkey ? latchkey.expiresAt * 1000 : Date.now() + settings.absoluteSeconds * 1000
    return {
      ...data,
      cookie: { ...cookie, originalMaxAge: end - Date.now(), expires: new Date(end) },
    } as unknown as SessionData
  }
}

/** Whether the session holds anything else than what is stored of it. */
export function isChanged(view: SessionView): boolean {
  return storedJson(view) !== jsonOf(view.session)
}

function storedJson({ latchkeyStored, session }: SessionView): string {
  return latchkeyStored?.id === session.id ? latchkeyStored.json : '{}'
}

/** The application's part of a session, as express-session compares it. */
function jsonOf({ cookie: _cookie, ...data }: Partial<SessionData>): string {
  return JSON.stringify(data)
}

function settle(promise: Promise<unknown>, done: Done): void {
  promise.then(
    () => done(),
    (error) => done(error),
  )
}
