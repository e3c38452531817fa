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

export * from '@latchkey/core/application'
export type { KoaContext, KoaMiddleware } from './context.ts'
export { createWebhookHandler } from './webhooks.ts'

/** The options of {@link createAuth}: those of the core. */
export type AuthOptions<U = AppUser> = CoreAuthOptions<U, { readonly ctx: KoaContext }>

/** @deprecated Use {@link AuthOptions}, the name under every framework. */
export type AuthMiddlewareOptions<U = AppUser> = AuthOptions<U>

/** The middleware that an application mounts, with the methods for use outside requests. */
export interface AuthMiddleware extends KoaMiddleware, AuthHandle, SocketHandle {}

const visits: Visits<KoaContext> = createVisits('app.use(createAuth(…))')

/** The user of a request and their session; `ctx.state.auth` with its type. */
export const getAuth: typeof visits.getAuth = visits.getAuth
/** The logged-in user of a request; throws `LATCHKEY_LOGIN_REQUIRED` when no user is logged in. */
export const getUser: typeof visits.getUser = visits.getUser
/** The application's own data in the session of a request. */
export const getData: typeof visits.getData = visits.getData
/** The bearer token of a request, as the SDK of the Model Context Protocol describes it to tools. */
export const mcpAuth: typeof visits.mcpAuth = visits.mcpAuth
/** Demands scopes that only the body of a request tells; throws `LATCHKEY_SCOPE_MISSING` when the bearer token lacks one. */
export const requireScopes: typeof visits.requireScopes = visits.requireScopes

/**
 * Adds the login, callback and logout routes, and `ctx.state.auth` to the requests that pass. Errors of
 * the kit that handlers throw are answered.
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
    const serve = async (visit: Visit<U, void>): Promise<void> => {
      visits.set(ctx, visit)
      ctx.state.auth = visit.auth
      await next()
    }
    const details = {
      exchange: { ctx },
      // Koa keeps what a parser made of the body on a request of its own; a guard may stand behind the parser.
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
 * Lets logged-in users through. A page is redirected to the login; an API request is answered with 401.
 *
 * @throws {@link ConfigError} for a requirement that would let every user in.
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
