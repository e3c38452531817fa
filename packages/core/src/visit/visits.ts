import { LatchkeyError } from '../errors/errors.ts'
import type { McpAuth } from '../guard/mcp-auth.ts'
import type { RequestAuth } from '../guard/request-auth.ts'
import type { AppUser } from '../guard/user.ts'
import type { SessionData } from '../session/session-data.ts'
import type { Visit } from './visit.ts'

/**
 * Keeps the visit of each request on the request object of a framework. An adapter sets the visit,
 * guards read it, and handlers use `getAuth`, `getUser` and `getData`.
 */
export interface Visits<Request extends object, Sent = void> {
  /**
   * Sets the visit of a request, for the guards and handlers that follow. An earlier visit is
   * replaced.
   */
  set<U>(request: Request, visit: Visit<U, Sent>): void
  /** The visit of a request; `undefined` if no adapter has handled the request. */
  find<U>(request: Request): Visit<U, Sent> | undefined
  /**
   * The visit of a request.
   *
   * @throws {@link LatchkeyError} with `LATCHKEY_ROUTER_NOT_MOUNTED` when no adapter has handled
   *   the request.
   */
  of<U>(request: Request): Visit<U, Sent>
  /** The user of a request and their session. */
  getAuth<U = AppUser>(request: Request): RequestAuth<U, Sent>
  /**
   * The logged-in user of a request.
   *
   * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` when no user is logged in.
   */
  getUser<U = AppUser>(request: Request): U
  /** The application's own data in the session of a request. */
  getData(request: Request): SessionData
  /**
   * The bearer token of a request, in the shape of the SDK of the Model Context Protocol
   * (`AuthInfo`).
   *
   * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` if no guard has accepted a bearer
   *   token.
   */
  mcpAuth(request: Request): McpAuth
  /**
   * Requires scopes that depend on the body of the request, such as those of an MCP tool. A session
   * needs no scopes. Call this before the response begins: the error is answered with 403, and the
   * client can ask the user for more scopes.
   *
   * @throws {@link AccessError} with `LATCHKEY_SCOPE_MISSING` when the bearer token lacks a scope.
   */
  requireScopes(request: Request, scopes: readonly string[]): void
}

const VISIT = Symbol('latchkey')

interface WithVisit<U, Sent> {
  [VISIT]?: Visit<U, Sent>
}

/**
 * Makes the functions that keep and find visits on the requests of a framework.
 *
 * @param mount - The line to add if no adapter has handled a request, such as
 *   `app.use(createAuth(…))`.
 */
export function createVisits<Request extends object, Sent = void>(
  mount: string,
): Visits<Request, Sent> {
  const find = <U>(request: WithVisit<U, Sent>): Visit<U, Sent> | undefined => request[VISIT]
  const of = <U>(request: Request): Visit<U, Sent> => {
    const visit = find<U>(request)
    if (visit) return visit
    throw new LatchkeyError(
      'LATCHKEY_ROUTER_NOT_MOUNTED',
      `This request has not passed the login. Call ${mount} in front of the routes, and for all their paths: under a path of its own it sees the requests below that alone. The option "routes" sets the addresses of the login.`,
    )
  }
  return {
    set<U>(request: WithVisit<U, Sent>, visit: Visit<U, Sent>) {
      request[VISIT] = visit
    },
    find,
    of,
    getAuth: <U>(request: Request) => of<U>(request).auth,
    getUser: <U>(request: Request) => of<U>(request).user(),
    getData: (request) => of(request).data,
    mcpAuth: (request) => of(request).mcpAuth(),
    requireScopes: (request, scopes) => of(request).requireScopes(scopes),
  }
}
