import {
  type AuthResponse,
  LatchkeyError,
  type MaybePromise,
  type Requirement,
} from '@latchkey/core'
import type { Request, RequestHandler } from 'express'
import { getState, type RequestState } from './request-state.ts'

/** Lets signed-in users through; sends a page to log in and answers an API request with 401. */
export function requireUser(requirement: Requirement<Request> = {}): RequestHandler {
  return (req, _res, next) => {
    let state: RequestState
    let refusal: MaybePromise<AuthResponse | undefined>
    try {
      state = stateOf(req)
      refusal = state.auth.authorize(state.request, state.session, requirement, req)
    } catch (error) {
      return next(error)
    }
    const settle = (answer: AuthResponse | undefined): void => {
      if (answer) {
        state.send(answer)
        return
      }
      state.sessionUsed()
      next()
    }
    if (refusal instanceof Promise) refusal.then(settle).catch(next)
    else settle(refusal)
  }
}

function stateOf(req: Request): RequestState {
  const state = getState(req)
  if (state) return state
  throw new LatchkeyError(
    'LATCHKEY_ROUTER_NOT_MOUNTED',
    'requireUser() ran before createAuthRouter(); call app.use(createAuthRouter(…)) first.',
  )
}
