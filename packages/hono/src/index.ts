import {
  type AppUser,
  type Auth,
  type AuthHandle,
  type AuthOptions as CoreAuthOptions,
  createAuth as createCoreAuth,
  LatchkeyError,
  type RequestAuth,
  type RequestDetails,
  type Requirement,
  type Visit,
} from '@latchkey/core'
import {
  asGuard,
  createVisits,
  type GuardArguments,
  mustBeCalled,
  requirementOf,
  type Visits,
} from '@latchkey/core/adapter'
import { nodePlatform } from '@latchkey/core/node'
import type { Context, MiddlewareHandler } from 'hono'
import { mountFault } from './mount-fault.ts'

export * from '@latchkey/core/application'
export { createWebhookHandler } from './webhooks.ts'

/** The variables that {@link createAuth} adds to `c.var`. */
export interface AuthEnv<U = AppUser> {
  Variables: { readonly auth: RequestAuth<U, Response> }
}

/** The options of {@link createAuth}. */
export type AuthOptions<U = AppUser> = CoreAuthOptions<U, { readonly c: Context }>

/**
 * @deprecated Use {@link AuthOptions}, its name in every package.
 */
export type AuthMiddlewareOptions<U = AppUser> = AuthOptions<U>

/** The middleware for `app.use()`, with methods such as `ready()` that need no request. */
export interface AuthMiddleware<U = AppUser> extends MiddlewareHandler<AuthEnv<U>>, AuthHandle {}

const visits: Visits<Context, Response> = createVisits('app.use(createAuth(…))')

/** The user of a request and their session: `c.var.auth`, with the type of the user. */
export const getAuth: typeof visits.getAuth = visits.getAuth
/** The logged-in user of a request; throws `LATCHKEY_LOGIN_REQUIRED` when no user is logged in. */
export const getUser: typeof visits.getUser = visits.getUser
/** The application's own data in the session of a request. */
export const getData: typeof visits.getData = visits.getData
/**
 * The bearer token of a request, as the `AuthInfo` of the Model Context Protocol SDK. Throws
 * `LATCHKEY_LOGIN_REQUIRED` if no guard has accepted a bearer token.
 */
export const mcpAuth: typeof visits.mcpAuth = visits.mcpAuth
/**
 * Requires scopes that depend on the body of the request. A request with a session needs no scopes.
 * Throws `LATCHKEY_SCOPE_MISSING` if the bearer token lacks a scope.
 */
export const requireScopes: typeof visits.requireScopes = visits.requireScopes

/**
 * Adds the login, callback and logout routes, and `c.var.auth` to all other requests. If a handler
 * throws an error of the kit, the response is its error page or problem details.
 *
 * @throws {@link ConfigError} listing everything wrong with the options.
 */
export function createAuth<U = AppUser>(
  options: AuthOptions<U> = {},
  ...more: readonly never[]
): AuthMiddleware<U> {
  mustBeCalled(more, 'createAuth()', 'app.use(createAuth())')
  const auth = createCoreAuth(options, nodePlatform())
  const middleware: MiddlewareHandler<AuthEnv<U>> = async (c, next) => {
    const serve = async (visit: Visit<U, Response>): Promise<Response> => {
      const { path: mounted = '' } = c.req.matchedRoutes[c.req.routeIndex] ?? {}
      visits.set(c, visit)
      c.set('auth', visit.auth)
      await next()
      // Hono has caught the error of the handler and created a response. Thrown again, the error
      // reaches the kit.
      if (c.error instanceof LatchkeyError) throw c.error
      const fault = c.res.status === 404 && mountFault(auth as Auth, mounted, c.req.path)
      if (fault) throw fault
      return c.res
    }
    const details = {
      exchange: { c },
      headers: () => headersOf(c),
      get connection() {
        return connectionOf(c)
      },
      // Hono caches a body that a middleware has read, and a guard may run after that middleware.
      get body() {
        return c.req.raw.bodyUsed ? c.req.parseBody({ all: true }) : undefined
      },
    }
    const response = await auth.fetch(c.req.raw, serve, details)
    // Setting the current response again would make Hono copy it.
    if (response !== c.res) answer(c, response)
  }
  const { sessions, ready, health } = auth
  return Object.assign(middleware, { sessions, ready, health })
}

/**
 * Lets logged-in users through. Redirects pages to the login; answers API requests with 401.
 *
 * @throws {@link ConfigError} for a requirement with an unknown name, a wrong type, or a member
 *   that is `undefined` or empty.
 */
export function requireUser<U = AppUser>(
  ...given: GuardArguments<Requirement<Context, U>>
): MiddlewareHandler<AuthEnv<U>> {
  const requirement = requirementOf(given)
  return asGuard<MiddlewareHandler<AuthEnv<U>>>(async (c, next) => {
    const visit = visits.of<U>(c)
    const refusal = await visit.admit(requirement, c)
    if (!refusal) return next()
    answer(c, visit.send(refusal))
  })
}

/** The TCP connection of a request under Node. Other runtimes show none. */
function connectionOf({ env }: Context): RequestDetails['connection'] {
  const { incoming } = (env ?? {}) as { incoming?: { socket?: RequestDetails['connection'] } }
  return incoming?.socket
}

/** The headers that Hono adds to a response, such as those that earlier middleware has set. */
function headersOf(c: Context): Headers {
  return c.body(null).headers
}

/**
 * Sets the response unchanged. `c.res` is cleared first, because Hono would otherwise replace new
 * cookies with those of the earlier response.
 */
function answer(c: Context, response: Response): void {
  c.res = undefined
  c.res = response
}
