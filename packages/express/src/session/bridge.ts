import type { StoredSessions } from '@latchkey/core/internal'
import type { Request, Response } from 'express'
import { RequestSession, type SessionVisit } from './request-session.ts'
import { saveBeforeAnswer } from './save-before-answer.ts'

/** Adds `req.session` to a request. The session is opened only when the application uses it. */
export type AttachSession = (req: Request, res: Response, visit: SessionVisit) => void

const opener = Symbol('latchkey.session')

interface WithSession {
  /**
   * Opens the session. It is a function, so that an error reporter that prints the request shows no
   * secret.
   */
  [opener]?: () => RequestSession
}

/**
 * Creates the function that makes `req.session` a session of express-session, without the
 * middleware of that package. The core reads the cookie, finds the session, touches it and sets the
 * cookie.
 */
export function createSessionBridge(sessions: StoredSessions): AttachSession {
  return (req, res, visit) => {
    let session: RequestSession | undefined
    ;(req as WithSession)[opener] = () => {
      if (session) return session
      session = new RequestSession(sessions, visit, req)
      session.open()
      saveBeforeAnswer(req, res, session)
      return session
    }
    const owner = sharedBy(req)
    if (!prepared.has(owner)) {
      Object.defineProperties(owner, ACCESSORS)
      prepared.add(owner)
    }
  }
}

const prepared = new WeakSet<object>()

/**
 * The prototype of all requests in an application and the applications mounted in it. The request
 * itself if it has no application.
 */
function sharedBy(req: Request): object {
  let { app } = req as unknown as { app?: Application }
  while (app?.parent) app = app.parent
  return app?.request ?? req
}

interface Application {
  readonly parent?: Application
  readonly request: object
}

const ACCESSORS: PropertyDescriptorMap & ThisType<Request & WithSession> = {
  session: {
    configurable: true,
    enumerable: true,
    get() {
      return this[opener]?.().session
    },
    set(value) {
      assign(this, 'session', value)
    },
  },
  sessionID: {
    configurable: true,
    get() {
      return this[opener]?.().sessionID
    },
    set(value) {
      assign(this, 'sessionID', value)
    },
  },
  sessionStore: {
    configurable: true,
    get() {
      return this[opener]?.()
    },
    set() {},
  },
}

function assign(
  req: Request & WithSession,
  name: 'session' | 'sessionID',
  value: (Request & string) | undefined,
): void {
  const session = req[opener]?.()
  // On a request that the router has not handled, another session middleware sets this property.
  if (!session) Object.defineProperty(req, name, { value, writable: true, configurable: true })
  else session[name] = value as never
}
