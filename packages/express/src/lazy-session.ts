import type { StoredSession, StoredSessions } from '@latchkey/core'
import type { Request, RequestHandler, Response } from 'express'
import expressSession from 'express-session'
import { hasEnded, saveBeforeAnswer } from './save-before-answer.ts'
import { type SessionView, ViewStore } from './view-store.ts'
import { visitOf } from './visits.ts'

/** Where the view is kept once `req.session` has been touched. */
const views = Symbol('latchkey session')

/** Puts the session of express-session on a request; it comes into being when it is first touched. */
export type AttachSession = (req: Request) => void

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

  const open = (req: Request): SessionView => {
    const known = (req as { [views]?: SessionView })[views]
    if (known) return known
    const visit = visitOf(req)
    const { session } = visit
    const response = req.res as Response
    if (session.failure) throw session.failure
    visit.sessionUsed()
    const view = viewOf(req, session, settings.cookie.secure)
    // Not enumerable: printing the request does not print it.
    Object.defineProperty(req, views, { value: view, configurable: true })
    let isOpen = false
    // Before it is open an error is the caller's; afterwards it comes from saving at the response's end.
    const failed = (error?: unknown): void => {
      if (error && !isOpen) throw error
      if (error && !hasEnded(error)) req.next?.(error)
    }
    store.inflating(view, () => middleware(view, response, failed))
    isOpen = true
    saveBeforeAnswer(response, view)
    return view
  }
  // One pair of functions for all requests: the engine then gives all requests one shape.
  const accessors = (name: 'session' | 'sessionID'): PropertyDescriptor => ({
    configurable: true,
    enumerable: name === 'session',
    get(this: Request) {
      const view = open(this)
      // The view inherits this accessor, and loses its own value when a session is destroyed.
      return Object.hasOwn(view, name) ? view[name] : undefined
    },
    set(this: Request, value: unknown) {
      Object.defineProperty(open(this), name, own(value))
    },
  })
  const session = accessors('session')
  const sessionId = accessors('sessionID')

  return (req) => {
    Object.defineProperty(req, 'session', session)
    Object.defineProperty(req, 'sessionID', sessionId)
  }
}

function viewOf(req: Request, session: StoredSession, secure: boolean): SessionView {
  return Object.create(req, {
    session: own(undefined),
    sessionID: own(undefined),
    sessionStore: own(undefined),
    secure: own(secure),
    latchkeySession: own(session),
    latchkeyStored: own(undefined),
    latchkeySaving: own(undefined),
  }) as SessionView
}

function own(value: unknown): PropertyDescriptor {
  return { value, writable: true, configurable: true }
}
