import {
  type AuthHandle,
  type AuthOptions,
  asGuard,
  createAuth as createCoreAuth,
  LatchkeyError,
  type RequestAuth,
  type Requirement,
  requirementOf,
  type SessionData,
  setVisit,
  type User,
  type Visit,
  visitOf,
} from '@latchkey/core'
import { nodePlatform } from '@latchkey/core/node'
import type { Context, MiddlewareHandler } from 'hono'

/** What {@link createAuth} adds to `c.var`. */
export interface AuthEnv<U = User> {
  Variables: { readonly auth: RequestAuth<U, Response> }
}

/** The options of {@link createAuth}: those of the core. */
export type AuthMiddlewareOptions<U = User> = AuthOptions<U, { readonly c: Context }>

/** What an application mounts, and what it can ask afterwards. */
export interface AuthMiddleware<U = User> extends MiddlewareHandler<AuthEnv<U>>, AuthHandle {}

/**
 * Adds the login, callback and logout routes, and `c.var.auth` to the requests that pass. Errors of the
 * kit that handlers throw are answered.
 *
 * @throws {@link ConfigError} listing everything wrong with the options.
 */
export function createAuth<U = User>(options: AuthMiddlewareOptions<U> = {}): AuthMiddleware<U> {
  const auth = createCoreAuth(options, nodePlatform())
  const middleware: MiddlewareHandler<AuthEnv<U>> = async (c, next) => {
    const serve = async (visit: Visit<U, Response>): Promise<Response> => {
      setVisit(c, visit)
      c.set('auth', visit.auth)
      await next()
      // Hono has caught what a handler threw, and answered it.
      if (c.error instanceof LatchkeyError) throw c.error
      return c.res
    }
    const body = c.req.raw.bodyUsed ? await c.req.parseBody() : undefined
    const response = await auth.fetch(c.req.raw, serve, { body, exchange: { c } })
    // Hono would add the headers of the response before.
    if (response !== c.res) c.res = undefined
    c.res = response
  }
  const { sessions, ready, health } = auth
  return Object.assign(middleware, { sessions, ready, health })
}

/**
 * Lets logged-in users through; sends a page to log in and answers an API request with 401.
 *
 * @throws {@link ConfigError} for a requirement that would let every user in.
 */
export function requireUser<U = User>(
  ...given: [requirement?: Requirement<Context, U>]
): MiddlewareHandler<AuthEnv<U>> {
  const requirement = requirementOf(given)
  return asGuard<MiddlewareHandler<AuthEnv<U>>>(async (c, next) => {
    const visit = visitOf<U, Response>(c, MOUNT)
    const refusal = await visit.admit(requirement, c)
    return refusal ? visit.send(refusal) : next()
  })
}

/** What is known about the user of a request; `c.var.auth` with its type. */
export function getAuth<U = User>(c: Context): RequestAuth<U, Response> {
  return visitOf<U, Response>(c, MOUNT).auth
}

/**
 * The logged-in user of a request.
 *
 * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` when no user is logged in.
 */
export function getUser<U = User>(c: Context): U {
  return visitOf<U, Response>(c, MOUNT).user()
}

/** The application's own data in the session of a request. */
export function getData(c: Context): SessionData {
  return visitOf(c, MOUNT).data
}

const MOUNT = 'app.use(createAuth(…))'
