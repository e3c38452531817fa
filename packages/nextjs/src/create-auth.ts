import {
  type AccessError,
  type AppUser,
  type Auth,
  type AuthHandle,
  type AuthOptions as CoreAuthOptions,
  createAuth as createCoreAuth,
  createMemoryStore,
  type McpAuth,
  type RequestAuth,
  type Requirement,
  type SessionData,
  type SessionStore,
} from '@latchkey/core'
import { mustBeCalled, requirementOf } from '@latchkey/core/adapter'
import { nodePlatform } from '@latchkey/core/node'
import type { NextRequest } from 'next/server.js'
import { type ProxiedAuth, proxyOf } from './create-proxy.ts'
import { createPageVisits } from './page-visits.ts'
import { refuse } from './refuse.ts'
import { createRoutes, type RouteHandler } from './routes.ts'

export type { RouteHandler } from './routes.ts'

/** The options of {@link createAuth}. */
export type AuthOptions<U = AppUser> = CoreAuthOptions<U, { readonly request: Request }>

/**
 * @deprecated Use {@link AuthOptions}, its name in every package.
 */
export type AppAuthOptions<U = AppUser> = AuthOptions<U>

/**
 * The login of a Next.js application. Its members do not use `this`, so you can export them one by
 * one.
 */
export interface AppAuth<U = AppUser> extends AuthHandle {
  /**
   * The proxy to export from `proxy.ts`. It answers the login, callback and logout routes and keeps
   * sessions alive. It also passes the URL of each page to that page, so that a login returns to
   * the page.
   */
  proxy(request: NextRequest): Promise<Response>
  /**
   * Returns the logged-in user of a page, a server action or a route handler. In pages and actions,
   * visitors are redirected to the login, and users who are not allowed see the page
   * `forbidden.tsx`. In a handler of `route()`, an {@link AccessError} is thrown instead.
   *
   * @throws {@link AccessError} with `LATCHKEY_FORBIDDEN` if a user is not allowed, and
   *   `forbidden()` of Next.js is not enabled.
   */
  requireUser(requirement?: Requirement<Request, U>): Promise<U>
  /** The user of the request and their session. */
  getAuth(): Promise<RequestAuth<U, never>>
  /**
   * The logged-in user.
   *
   * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` when no user is logged in.
   */
  getUser(): Promise<U>
  /** The application's own data in the session. A server action or a route handler may change it. */
  getData(): Promise<SessionData>
  /**
   * The bearer token of the request in a route handler, as the `AuthInfo` of the Model Context
   * Protocol SDK.
   *
   * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` if no guard has accepted a bearer
   *   token.
   */
  mcpAuth(): Promise<McpAuth>
  /**
   * In a route handler, requires scopes that depend on the body of the request. A request with a
   * session needs no scopes.
   *
   * @throws {@link AccessError} with `LATCHKEY_SCOPE_MISSING` when the bearer token lacks a scope.
   */
  requireScopes(scopes: readonly string[]): Promise<void>
  /**
   * Creates a route handler for all visitors. If `handle` throws an error of the kit, the response
   * is the problem details or the error page of that error.
   */
  route<Context = unknown>(handle: RouteHandler<Context>): RouteHandler<Context, Promise<Response>>
  /**
   * Creates a route handler for logged-in users. Visitors are redirected to the login; their API
   * requests get 401.
   */
  route<Context = unknown>(
    requirement: Requirement<Request, U>,
    handle: RouteHandler<Context>,
  ): RouteHandler<Context, Promise<Response>>
  /**
   * The login, callback and logout routes as route handlers, for applications without `proxy.ts`.
   */
  readonly handlers: { readonly GET: RouteHandler; readonly POST: RouteHandler }
}

/**
 * Creates the login of a Next.js application. The options are checked at the first request, not by
 * `next build`: a {@link ConfigError} that lists all faults then fails the request.
 *
 * @param options - The options, or a function that returns them at the first request.
 */
export function createAuth<U = AppUser>(
  options: AuthOptions<U> | (() => AuthOptions<U>) = {},
  ...more: readonly never[]
): AppAuth<U> {
  mustBeCalled(more, 'createAuth()', 'export const { proxy } = createAuth()')
  let made: ProxiedAuth<U> | undefined
  const login = (): ProxiedAuth<U> => {
    made ??= makeLogin(typeof options === 'function' ? options() : options)
    return made
  }
  const auth = (): Auth<U> => login().auth
  const routes = createRoutes(auth)
  const pages = createPageVisits(auth)
  const visit = async () => routes.running() ?? (await pages()).visit
  return {
    proxy: proxyOf(login),
    async requireUser(...given) {
      const requirement = requirementOf<Requirement<Request, U>>(given)
      const running = routes.running()
      if (running) {
        const decision = await running.decide(requirement, routes.request())
        if (decision.refusal) throw decision.refusal.error
        return decision.user()
      }
      const page = await pages()
      const decision = await page.visit.decide(requirement, page.subject)
      return decision.refusal ? refuse(decision.refusal, page) : decision.user()
    },
    getAuth: async () => (await visit()).auth as RequestAuth<U, never>,
    getUser: async () => (await visit()).user(),
    getData: async () => (await visit()).data,
    mcpAuth: async () => (await visit()).mcpAuth(),
    requireScopes: async (scopes) => (await visit()).requireScopes(scopes),
    route: routes.route,
    handlers: routes.handlers,
    get sessions() {
      return auth().sessions
    },
    ready: () => auth().ready(),
    health: () => auth().health(),
  }
}

function makeLogin<U>(options: AuthOptions<U>): ProxiedAuth<U> {
  const { session, silentLogin } = options
  const auth = createCoreAuth(options, { ...nodePlatform(), memory: sharedMemory() })
  return {
    auth,
    writesCookies: Boolean(silentLogin || session?.adopt) || session?.store === 'cookie',
  }
}

const MEMORY = Symbol.for('latchkey.nextjs.sessions')

/**
 * The session store in memory that the whole process shares, for options without a store. Next.js
 * loads the application several times: once for the proxy, once for pages, and again at each change
 * during development.
 */
function sharedMemory(): SessionStore {
  const shared = globalThis as { [MEMORY]?: SessionStore }
  shared[MEMORY] ??= createMemoryStore()
  return shared[MEMORY]
}
