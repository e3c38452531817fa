import type { StoredSession, StoredSessions } from '@latchkey/core'
import type { Request, RequestHandler, Response } from 'express'
import expressSession from 'express-session'
import { type SessionView, ViewStore } from './view-store.ts'

/** Puts the session of express-session on a request; it comes into being when it is first touched. */
export type AttachSession = (
  req: Request,
  res: Response,
  session: StoredSession,
  onUse: () => void,
) => void

/**
 * Makes `req.session` the session of express-session, at no cost for requests that do not touch it.
 *
 * express-session works on a view of the request: its record comes from the look-up that was made
 * already, its writes leave the login alone, and `Secure` follows `baseUrl` instead of forwarded
 * headers.
 */
export function createLazySession(sessions: StoredSessions): AttachSession {
  const { settings, cookieSecrets } = sessions
  const store = new ViewStore(sessions)
  const middleware: RequestHandler = expressSession({
    name: settings.cookieName,
    secret: [...cookieSecrets],
    genid: () => sessions.newId(),
    resave: false,
    saveUninitialized: false,
    store,
    cookie: {
      path: settings.cookie.path,
      secure: settings.cookie.secure,
      sameSite: settings.cookie.sameSite,
      httpOnly: true,
      maxAge: settings.absoluteSeconds * 1000,
    },
  })

  return (req, res, session, onUse) => {
    let view: SessionView | undefined
    const open = (): SessionView => {
      if (view) return view
      if (session.failure) throw session.failure
      onUse()
      const opened = viewOf(req, session, settings.cookie.secure)
      view = opened
      store.inflating(opened, () => middleware(opened, res, rethrow))
      return opened
    }
    // The view inherits these, and loses its own when a session is destroyed: hence `hasOwn`.
    const delegate = (name: 'session' | 'sessionID'): PropertyDescriptor => ({
      configurable: true,
      enumerable: name === 'session',
      get() {
        const opened = open()
        return Object.hasOwn(opened, name) ? opened[name] : undefined
      },
      set: (value: unknown) => Object.defineProperty(open(), name, own(value)),
    })
    Object.defineProperty(req, 'session', delegate('session'))
    Object.defineProperty(req, 'sessionID', delegate('sessionID'))
  }
}

function viewOf(req: Request, session: StoredSession, secure: boolean): SessionView {
  return Object.create(req, {
    session: own(undefined),
    sessionID: own(undefined),
    sessionStore: own(undefined),
    secure: own(secure),
    latchkeySession: own(session),
  }) as SessionView
}

function own(value: unknown): PropertyDescriptor {
  return { value, writable: true, configurable: true }
}

function rethrow(error?: unknown): void {
  if (error) throw error
}
