import { type AuthOptions, createAuth, type User, type Visit } from '@latchkey/core'
import { nodePlatform } from '@latchkey/core/node'

// #region login
const visits = new WeakMap<Request, Visit<User, Response>>()

/** Answers the routes of the login; every other request goes to the router, with its visit. */
export function withLogin(
  router: { fetch(request: Request): Response | Promise<Response> },
  options: AuthOptions = {},
): (request: Request) => Promise<Response> {
  const auth = createAuth(options, nodePlatform())
  return (request) =>
    auth.fetch(request, (visit) => {
      visits.set(request, visit)
      return router.fetch(request)
    })
}

/** The visit of a request that passed the login. */
export function visitOf(request: Request): Visit<User, Response> {
  const visit = visits.get(request)
  if (!visit) throw new Error('The request has not passed withLogin().')
  return visit
}
// #endregion
