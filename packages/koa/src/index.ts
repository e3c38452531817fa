import {
  type AppUser,
  type Auth,
  type AuthHandle,
  type AuthOptions as CoreAuthOptions,
  createAuth as createCoreAuth,
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
import { nodePlatform, type SocketHandle, serveNode, socketHandle } from '@latchkey/core/node'
import type { KoaContext, KoaMiddleware } from './context.ts'
import { mountFault } from './mount-fault.ts'

export * from '@latchkey/core/application'
export type { KoaContext, KoaMiddleware } from './context.ts'
export { createWebhookHandler } from './webhooks.ts'

/** The options of {@link createAuth}. */
export type AuthOptions<U = AppUser> = CoreAuthOptions<U, { readonly ctx: KoaContext }>

/**
 * @deprecated Use {@link AuthOptions}, its name in every package.
 */
export type AuthMiddlewareOptions<U = AppUser> = AuthOptions<U>

/** The middleware for `app.use()`, with methods such as `ready()` that need no request. */
export interface AuthMiddleware extends KoaMiddleware, AuthHandle, SocketHandle {}

const visits: Visits<KoaContext> = createVisits('app.use(createAuth(…))')

/** The user of a request and their session: `ctx.state.auth`, with the type of the user. */
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
 * Adds the login, callback and logout routes, and `ctx.state.auth` to all other requests. If a
 * handler throws an error of the kit, the response is its error page or problem details.
 *
 * @throws {@link ConfigError} listing everything wrong with the options.
 */
export function createAuth<U = AppUser>(
  options: AuthOptions<U> = {},
  ...more: readonly never[]
): AuthMiddleware {
  mustBeCalled(more, 'createAuth()', 'app.use(createAuth())')
  const auth = createCoreAuth(options, nodePlatform())
  const middleware: KoaMiddleware = async (ctx, next) => {
    const fault = mountFault(auth as Auth, ctx)
    if (fault) throw fault
    const serve = async (visit: Visit<U, void>): Promise<void> => {
      visits.set(ctx, visit)
      ctx.state.auth = visit.auth
      await next()
    }
    const details = {
      exchange: { ctx },
      // Body parsers store the parsed body on Koa's own request. This is a getter, because a guard
      // may run after the parser.
      get body() {
        return ctx.request.body
      },
    }
    await serveNode(auth, ctx.req, ctx.res, serve, details)
  }
  const { sessions, ready, health } = auth
  return Object.assign(middleware, { sessions, ready, health, ...socketHandle(auth as Auth) })
}

/**
 * Lets logged-in users through. Redirects pages to the login; answers API requests with 401.
 *
 * @throws {@link ConfigError} for a requirement with an unknown name, a wrong type, or a member
 *   that is `undefined` or empty.
 */
export function requireUser<U = AppUser, C extends KoaContext = KoaContext>(
  ...given: GuardArguments<Requirement<C, U>>
): KoaMiddleware<C> {
  const requirement = requirementOf(given)
  return asGuard<KoaMiddleware<C>>(async (ctx, next) => {
    const visit = visits.of<U>(ctx)
    const refusal = await visit.admit(requirement, ctx)
    if (refusal) visit.send(refusal)
    else await next()
  })
}
