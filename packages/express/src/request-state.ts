import type { Auth, AuthRequest, RequestAuth, StoredSession } from '@latchkey/core'
import type { Request } from 'express'

/** What a router keeps about a request for the guards that follow. */
export interface RequestState {
  readonly auth: Auth
  readonly request: AuthRequest
  readonly session: StoredSession
}

const states = Symbol('latchkey')

interface WithState {
  [states]?: RequestState
}

/** Remembers the state of the router that a request passed last. */
export function setState(req: Request, state: RequestState, auth: RequestAuth): void {
  ;(req as WithState)[states] = state
  req.auth = auth
}

/** The state of the router that a request passed last, if it passed one. */
export function getState(req: Request): RequestState | undefined {
  return (req as WithState)[states]
}
