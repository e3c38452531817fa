import type { Auth, AuthRequest, AuthResponse, RequestPort, StoredSession } from '@latchkey/core'
import { markPrivate, writeResponse } from '@latchkey/core/node'
import type { Request, Response } from 'express'
import type { SessionView } from './view-store.ts'

/** What a router keeps about a request, for the guards that follow and for `req.session`. */
export class RequestState implements RequestPort {
  readonly auth: Auth
  readonly request: AuthRequest
  readonly session: StoredSession
  readonly response: Response
  /** The request as express-session sees it, once `req.session` has been touched. */
  view: SessionView | undefined
  #isPrivate = false

  constructor(auth: Auth, request: AuthRequest, session: StoredSession, response: Response) {
    this.auth = auth
    this.request = request
    this.session = session
    this.response = response
  }

  sessionUsed(): void {
    if (this.#isPrivate) return
    this.#isPrivate = true
    markPrivate(this.response)
  }

  send(response: AuthResponse): void {
    writeResponse(this.response, response, this.session.setCookies)
  }
}

const states = Symbol('latchkey')

interface WithState {
  [states]?: RequestState
}

/** Remembers the state of the router that a request passed last. */
export function setState(req: Request, state: RequestState): void {
  ;(req as WithState)[states] = state
}

/** The state of the router that a request passed last, if it passed one. */
export function getState(req: Request): RequestState | undefined {
  return (req as WithState)[states]
}
