import {
  type AuthResponse,
  ConfigError,
  checkRequirement,
  LatchkeyError,
  type MaybePromise,
  type Requirement,
} from '@latchkey/core'
import type { Request, RequestHandler } from 'express'
import { getState, type RequestState } from './request-state.ts'

/**
 * Lets signed-in users through; sends a page to log in and answers an API request with 401.
 *
 * @throws {@link ConfigError} for a requirement with an unknown name, a wrong type, or a member that is
 *   `undefined` or empty: such a guard would let every user in.
 */
export function requireUser(...given: [requirement?: Requirement<Request>]): RequestHandler {
  if (given.length > 1) throw new ConfigError([], NO_PARENTHESES)
  const requirement = given.length === 0 ? {} : (given[0] as Requirement<Request>)
  checkRequirement(requirement)
  return (req, _res, next) => {
    let state: RequestState
    let refusal: MaybePromise<AuthResponse | undefined>
    try {
      state = stateOf(req)
      // Before the hook `onError` may answer: no cache may keep what it sends.
      state.sessionUsed()
      refusal = state.authorize(requirement, req)
    } catch (error) {
      return next(error)
    }
    const settle = (answer: AuthResponse | undefined): void => {
      if (answer) state.send(answer)
      else next()
    }
    if (refusal instanceof Promise) refusal.then(settle).catch(next)
    else settle(refusal)
  }
}

const NO_PARENTHESES =
  'Parentheses are missing: write requireUser(), as in app.get(path, requireUser(), handler).'

function stateOf(req: Request): RequestState {
  const state = getState(req)
  if (state) return state
  throw new LatchkeyError(
    'LATCHKEY_ROUTER_NOT_MOUNTED',
    'requireUser() ran before createAuthRouter(); call app.use(createAuthRouter(…)) first.',
  )
}
