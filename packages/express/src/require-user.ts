import { LatchkeyError, type Requirement } from '@latchkey/core'
import { markPrivate, writeResponse } from '@latchkey/core/node'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { getState } from './request-state.ts'

/** Lets signed-in users through; sends a page to log in and answers an API request with 401. */
export function requireUser(requirement: Requirement<Request> = {}): RequestHandler {
  const guard = async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const state = getState(req)
    if (!state) {
      throw new LatchkeyError(
        'LATCHKEY_ROUTER_NOT_MOUNTED',
        'requireUser() ran before createAuthRouter(); call app.use(createAuthRouter(…)) first.',
      )
    }
    const refusal = await state.auth.authorize(state.request, state.session, requirement, req)
    if (refusal) return writeResponse(res, refusal, state.session.setCookies)
    markPrivate(res)
    next()
  }
  return (req, res, next) => {
    guard(req, res, next).catch(next)
  }
}
