import {
  type AppUser,
  type AuthHandle,
  type AuthOptions as CoreAuthOptions,
  createAuth as createCoreAuth,
  LatchkeyError,
  type RequestAuth,
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

export * from '@latchkey/core/application'
export { createWebhookHandler } from './webhooks.ts'

/** The members that {@link createAuth} adds to `c.var`. */
export interface AuthEnv<U = AppUser> {
  Variables: { readonly auth: RequestAuth<U, Response> }
}

/** The options of {@link createAuth}: those of the core. */
export type AuthOptions<U = AppUser> = CoreAuthOptions<U, { readonly c: Context }>

/** @deprecated Use {@link AuthOptions}, the name under every framework. */
export type AuthMiddlewareOptions<U = AppUser> = AuthOptions<U>

/** The middleware that an application mounts, with the methods for use outside requests. */
export interface AuthMiddleware<U = AppUser> extends MiddlewareHandler<AuthEnv<U>>, AuthHandle {}

const visits: Visits<Context, Response> = createVisits('app.use(createAuth(…))')

/** The user of a request and their session; `c.var.auth` with its type. */
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
 * Adds the login, callback and logout routes, and `c.var.auth` to the requests that pass. Errors of the
 * kit that handlers throw are answered.
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
      visits.set(c, visit)
      c.set('auth', visit.auth)
      await next()
      // Hono has caught what a handler threw, and answered it.
      if (c.error instanceof LatchkeyError) throw c.error
      return c.res
    }
    const details = {
      exchange: { c },
      headers: () => headersOf(c),
      // Hono keeps what a middleware has read; a guard may stand behind it.
      get body() {
        return c.req.raw.bodyUsed ? c.req.parseBody({ all: true }) : undefined
      },
    }
    const response = await auth.fetch(c.req.raw, serve, details)
    // Hono makes a copy of what it has already.
    if (response !== c.res) answer(c, response)
  }
  const { sessions, ready, health } = auth
  return Object.assign(middleware, { sessions, ready, health })
}

/**
 * Lets logged-in users through. A page is redirected to the login; an API request is answered with 401.
 *
 * @throws {@link ConfigError} for a requirement that would let every user in.
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

/** The headers that Hono adds to the responses that it makes, such as those of middleware in front. */
function headersOf(c: Context): Headers {
  return c.body(null).headers
}

/** Returns the response unchanged: Hono would replace new cookies by earlier ones. */
function answer(c: Context, response: Response): void {
  c.res = undefined
  c.res = response
}
