import { visitOf as coreVisitOf, type RequestAuth, type User, type Visit } from '@latchkey/core'
import type { Request } from 'express'

/**
 * The visit of a request.
 *
 * @throws {@link LatchkeyError} with `LATCHKEY_ROUTER_NOT_MOUNTED` when the request passed no router.
 */
export function visitOf<U>(req: object): Visit<U, void> {
  return coreVisitOf(req, 'app.use(createAuthRouter(…))')
}

/**
 * What is known about the user of a request. It is `req.auth`, also where another package has put
 * something else there.
 */
export function getAuth<U = User>(req: Request): RequestAuth<U> {
  return visitOf<U>(req).auth
}

/**
 * The logged-in user of a request.
 *
 * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` when no user is logged in.
 */
export function getUser<U = User>(req: Request): U {
  return visitOf<U>(req).user()
}
