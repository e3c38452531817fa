import { LatchkeyError, type RequestAuth, type User, type Visit } from '@latchkey/core'
import type { Request } from 'express'

const visits = Symbol('latchkey')

interface WithVisit<U> {
  [visits]?: Visit<U, void>
}

/** Remembers the visit of the router that a request passed last. */
export function setVisit<U>(req: Request, visit: Visit<U, void>): void {
  ;(req as WithVisit<U>)[visits] = visit
}

/** The visit of the router that a request passed last, if it passed one. */
export function findVisit<U>(req: object): Visit<U, void> | undefined {
  return (req as WithVisit<U>)[visits]
}

/**
 * The visit of a request.
 *
 * @throws {@link LatchkeyError} with `LATCHKEY_ROUTER_NOT_MOUNTED` when the request passed no router.
 */
export function visitOf<U>(req: object): Visit<U, void> {
  const visit = findVisit<U>(req)
  if (visit) return visit
  throw new LatchkeyError(
    'LATCHKEY_ROUTER_NOT_MOUNTED',
    'This request has not passed createAuthRouter(); call app.use(createAuthRouter(…)) first.',
  )
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
