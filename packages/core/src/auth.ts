import { completeLogin } from './callback.ts'
import type { AuthContext } from './context.ts'
import { errorResponse } from './error-response.ts'
import { LatchkeyError, RequestError } from './errors.ts'
import type { Requirement } from './guard.ts'
import { authorize } from './guard.ts'
import { beginLogin } from './login.ts'
import { handleLogout } from './logout.ts'
import { createMemoryStore } from './memory-store.ts'
import type { AuthOptions, Environment, ResolvedAuthOptions } from './options.ts'
import { resolveOptions } from './options.ts'
import { createProvider } from './provider.ts'
import type { AuthRequest } from './request.ts'
import { pathOf, queryOf } from './request.ts'
import type { SessionHandle } from './session.ts'
import type { StoredSessions } from './stored-session.ts'
import { createStoredSessions } from './stored-session.ts'
import { createTransactions } from './transaction.ts'

/** The login of one application: what an adapter puts under a framework. */
export interface Auth {
  readonly options: ResolvedAuthOptions
  /** Sessions over the store of the options, behind a signed cookie. */
  readonly sessions: StoredSessions
  /** Whether a path is one of the routes, whatever the method. */
  isRoute(path: string): boolean
  /** Answers a request to one of the routes; `undefined` for every other path. */
  handle(request: AuthRequest, session: SessionHandle): Promise<Response | undefined>
  /** `undefined` when the request may go on, otherwise the response to send instead. */
  authorize(
    request: AuthRequest,
    session: SessionHandle,
    requirement?: Requirement,
  ): Promise<Response | undefined>
}

type Route = (
  context: AuthContext,
  request: AuthRequest,
  session: SessionHandle,
) => Promise<Response>

/**
 * Makes the login of one application. Nothing is fetched and nothing is global: instances share
 * nothing.
 *
 * @param environment - Where options that are left out are looked up, usually `process.env`.
 * @throws {@link ConfigError} listing everything wrong with the options.
 */
export function createAuth(options: AuthOptions, environment: Environment = {}): Auth {
  const resolved = resolveOptions(options, environment)
  const store = options.session?.store ?? createMemoryStore({ now: resolved.now })
  const context: AuthContext = {
    options: resolved,
    provider: createProvider(resolved),
    transactions: createTransactions(resolved),
  }
  const routes = createRoutes(resolved)

  return {
    options: resolved,
    sessions: createStoredSessions(store, resolved.session, resolved.now),
    isRoute: (path) => routes.has(path),
    async handle(request, session) {
      const methods = routes.get(pathOf(request.url))
      if (!methods) return undefined
      const route = methods[request.method === 'HEAD' ? 'GET' : request.method]
      try {
        if (!route) {
          throw new RequestError('LATCHKEY_METHOD_NOT_ALLOWED', 'The route has other methods.')
        }
        return await route(context, request, session)
      } catch (error) {
        if (!(error instanceof LatchkeyError)) throw error
        return errorResponse(error, request, { loginUrl: resolved.routes.login })
      }
    },
    async authorize(request, session, requirement) {
      try {
        return await authorize(context, request, session, requirement)
      } catch (error) {
        if (!(error instanceof LatchkeyError)) throw error
        return errorResponse(error, request)
      }
    },
  }
}

function createRoutes(options: ResolvedAuthOptions): Map<string, Record<string, Route>> {
  const { login, callback, logout } = options.routes
  const routes = new Map<string, Record<string, Route>>()
  routes.set(callback, { GET: completeLogin, POST: completeLogin })
  if (login) routes.set(login, { GET: loginRoute })
  if (logout) routes.set(logout, { GET: handleLogout, POST: handleLogout })
  return routes
}

function loginRoute(context: AuthContext, request: AuthRequest): Promise<Response> {
  return beginLogin(context, request, {
    returnTo: queryOf(request.url).get('returnTo') ?? undefined,
  })
}
