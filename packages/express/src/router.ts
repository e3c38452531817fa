import {
  type AppUser,
  type AuthHandle,
  type AuthOptions as CoreAuthOptions,
  createAuth as createCoreAuth,
  LatchkeyError,
  type SessionStore,
} from '@latchkey/core'
import { mustBeCalled } from '@latchkey/core/adapter'
import { storedSessionsOf } from '@latchkey/core/internal'
import { nodePlatform, type SocketHandle, serveNode, socketHandle } from '@latchkey/core/node'
import type { Request, RequestHandler, Response } from 'express'
import { mountFault } from './mount-fault.ts'
import { createSessionBridge } from './session/bridge.ts'
import {
  type ExpressStore,
  fromExpressStore,
  isExpressStore,
} from './session/from-express-store.ts'
import { getAuth, getUser, visits } from './visits.ts'

/** The request and response of Express, so that `onError` can answer with `res.render()`. */
export interface AuthRouterExchange {
  readonly req: Request
  readonly res: Response
}

/**
 * The options of {@link createAuthRouter}. `session.store` also takes any store of express-session.
 */
export type AuthOptions<U = AppUser> = CoreAuthOptions<
  U,
  AuthRouterExchange,
  SessionStore | ExpressStore
>

/**
 * @deprecated Use {@link AuthOptions}, its name in every package.
 */
export type AuthRouterOptions<U = AppUser> = AuthOptions<U>

/** The middleware for `app.use()`, with methods such as `ready()` that need no request. */
export interface AuthRouter<U = AppUser> extends RequestHandler, AuthHandle, SocketHandle<U> {
  /**
   * The logged-in user of a request, typed by the schema of the options.
   *
   * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` when no user is logged in.
   */
  getUser(req: Request): U
}

/**
 * Adds the login, callback and logout routes, and `req.auth` and `req.session` to all other
 * requests.
 *
 * @throws {@link ConfigError} listing everything wrong with the options.
 */
export function createAuthRouter<U = AppUser>(
  options: AuthOptions<U> = {},
  ...more: readonly never[]
): AuthRouter<U> {
  mustBeCalled(more, 'createAuthRouter()', 'app.use(createAuthRouter())')
  const auth = createCoreAuth(toCoreOptions(options), nodePlatform())
  const attachSession = createSessionBridge(storedSessionsOf(auth))
  const mount: RequestHandler = (req, res, next) => {
    if (hasOtherSession(req)) throw sessionTwice()
    const unreachable = req.baseUrl === '' ? undefined : mountFault(auth, req.baseUrl)
    if (unreachable) throw unreachable
    const served = serveNode(auth, req, res, (visit) => {
      visits.set(req, visit)
      req.auth = getAuth(req)
      attachSession(req, res, visit)
      next()
    })
    if (served instanceof Promise) served.catch(next)
  }
  const { sessions, ready, health } = auth
  const { socket } = socketHandle(auth)
  return Object.assign(mount, { sessions, ready, health, socket, getUser: getUser<U> })
}

/**
 * The same function as {@link createAuthRouter}, under the name that it has in the packages of
 * other frameworks.
 *
 * @throws {@link ConfigError} listing everything wrong with the options.
 */
export function createAuth<U = AppUser>(
  options: AuthOptions<U> = {},
  ...more: readonly never[]
): AuthRouter<U> {
  mustBeCalled(more, 'createAuth()', 'app.use(createAuth())')
  return createAuthRouter(options)
}

function toCoreOptions<U>(options: AuthOptions<U>): CoreAuthOptions<U, AuthRouterExchange> {
  const store = options.session?.store
  // The core refuses a value that is neither a store of its own nor a store of express-session.
  if (!isExpressStore(store)) return options as CoreAuthOptions<U, AuthRouterExchange>
  return { ...options, session: { ...options.session, store: fromExpressStore(store) } }
}

/** Whether another middleware, or another router of the kit, has put a session on the request. */
function hasOtherSession(req: Request): boolean {
  return !visits.find(req) && (req as { session?: unknown }).session !== undefined
}

function sessionTwice(): LatchkeyError {
  return new LatchkeyError(
    'LATCHKEY_SESSION_TWICE',
    'Another middleware in front of createAuthRouter() has put a session on the request. Remove it, and pass its store as "session.store".',
  )
}
