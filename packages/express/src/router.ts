import type { RequestAuth } from '@latchkey/core'
import {
  type AuthOptions,
  createAuth,
  describeRequest,
  LatchkeyError,
  type User,
} from '@latchkey/core'
import { loopbackFetch, markPrivate, toAuthRequest, writeResponse } from '@latchkey/core/node'
import { type NextFunction, type Request, type Response, Router } from 'express'
import { createLazySession } from './lazy-session.ts'
import { setState } from './request-state.ts'

/** The options of {@link createAuthRouter}: those of the core. */
export type AuthRouterOptions = AuthOptions

/**
 * Adds the login, callback and logout routes, `req.auth` and `req.session` to the requests that pass.
 *
 * @throws {@link ConfigError} listing everything wrong with the options.
 */
export function createAuthRouter(options: AuthRouterOptions): Router {
  const auth = createAuth({ fetch: loopbackFetch, ...options }, process.env)
  const attachSession = createLazySession(auth.sessions)
  const { origin } = auth.options.baseUrl
  const router = Router()

  const handle = async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const request = toAuthRequest(req, origin)
    const opened = auth.sessions.open(req.headers.cookie)
    const session = opened instanceof Promise ? await opened : opened
    const response = await auth.handle(request, session)
    if (response) return writeResponse(res, response, session.setCookies)

    const onUse = (): void => markPrivate(res)
    attachSession(req, res, session, onUse)
    const describe = (): typeof session.current => {
      onUse()
      if (session.failure) throw session.failure
      return session.current
    }
    setState(req, { auth, request, session }, describeRequest(describe))
    next()
  }
  router.use((req, res, next) => {
    handle(req, res, next).catch(next)
  })
  return router
}

/**
 * The signed-in user of a request.
 *
 * @throws {@link LatchkeyError} with `LATCHKEY_LOGIN_REQUIRED` when nobody is signed in.
 */
export function getUser<U = User>(req: { auth: RequestAuth }): U {
  if (!req.auth.isAuthenticated) {
    throw new LatchkeyError('LATCHKEY_LOGIN_REQUIRED', 'Nobody is signed in; add requireUser().')
  }
  return req.auth.user as U
}
