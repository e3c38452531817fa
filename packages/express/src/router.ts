import type {
  AuthHealth,
  AuthSessionOptions,
  Hooks,
  RequestAuth,
  SessionDirectory,
  SessionStore,
  StoredSession,
  User,
} from '@latchkey/core'
import {
  AccessError,
  type Auth,
  type AuthOptions,
  type ClaimsSchema,
  ConfigError,
  createAuth,
  LatchkeyError,
} from '@latchkey/core'
import { nodePlatform, toAuthRequest } from '@latchkey/core/node'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Store } from 'express-session'
import { type AttachSession, createLazySession } from './lazy-session.ts'
import { getState, RequestState, setState } from './request-state.ts'

/** The session's options: those of the core, with any store that is typed for express-session. */
export interface AuthRouterSessionOptions extends Omit<AuthSessionOptions, 'store'> {
  readonly store?: SessionStore | Store | undefined
}

/** The request and response of Express, so that `onError` can answer with `res.render()`. */
export interface AuthRouterExchange {
  readonly req: Request
  readonly res: Response
}

/** The options of {@link createAuthRouter}: those of the core. */
export interface AuthRouterOptions<U = User> extends Omit<AuthOptions, 'session' | 'hooks'> {
  readonly claims?: ClaimsSchema<U>
  readonly hooks?: Hooks<AuthRouterExchange>
  readonly session?: AuthRouterSessionOptions
}

/** What an application mounts, and what it can ask afterwards. */
export interface AuthRouter<U = User> extends RequestHandler {
  /** The sessions of users, on every device. Needs a store with an index. */
  readonly sessions: SessionDirectory
  /**
   * The signed-in user of a request, typed by the schema of the options.
   *
   * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` when nobody is signed in.
   */
  getUser(req: Request): U
  /**
   * Resolves when the provider and the session store can be reached, for a readiness probe. Of several
   * providers none is asked.
   *
   * @throws {@link ProviderError} or {@link SessionStoreError} when one of them cannot be reached, an
   *   `AggregateError` of the two when neither can.
   */
  ready(): Promise<void>
  /** How it stands with the provider and the session store, without asking them. */
  health(): AuthHealth
}

/**
 * Adds the login, callback and logout routes, `req.auth` and `req.session` to the requests that pass.
 *
 * @throws {@link ConfigError} listing everything wrong with the options.
 */
export function createAuthRouter<U = User>(options: AuthRouterOptions<U> = {}): AuthRouter<U> {
  const auth = createAuth(options as AuthOptions, nodePlatform())
  const attachSession = createLazySession(auth.storedSessions)
  const mount: RequestHandler = (req, res, next) => {
    if (hasOtherSession(req)) return next(sessionTwice())
    const unreachable = req.baseUrl === '' ? undefined : mountFault(auth, req.baseUrl)
    if (unreachable) return next(unreachable)
    const opened = auth.storedSessions.open(req.headers.cookie)
    if (opened instanceof Promise) {
      opened.then((session) => prepare(auth, attachSession, session, req, res, next)).catch(next)
    } else {
      prepare(auth, attachSession, opened, req, res, next)
    }
  }
  return Object.assign(mount, {
    sessions: auth.sessions,
    getUser: (req: Request) => getUser<U>(req),
    ready: () => auth.ready(),
    health: () => auth.health(),
  })
}

/**
 * The signed-in user of a request.
 *
 * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` when nobody is signed in.
 */
export function getUser<U = User>(req: Pick<Request, 'auth'>): U {
  if (req.auth?.isAuthenticated) return req.auth.user as U
  throw new AccessError('LATCHKEY_LOGIN_REQUIRED', 'Nobody is signed in; is requireUser() missing?')
}

function prepare(
  auth: Auth,
  attachSession: AttachSession,
  session: StoredSession,
  req: Request,
  res: Response,
  next: NextFunction,
): void {
  const request = toAuthRequest(req, auth.options.baseUrl.href, res)
  const state = new RequestState(auth, request, session, res)
  const answer = state.handle()
  if (answer) {
    // Before the hook `onError` may answer: no cache may keep what it sends.
    state.sessionUsed()
    answer.then((response) => state.send(response)).catch(next)
    return
  }
  const pass = (described: RequestAuth): void => {
    setState(req, state)
    req.auth = described
    attachSession(req)
    next()
  }
  const described = state.describe()
  if (described instanceof Promise) described.then(pass).catch(next)
  else pass(described)
}

/** Whether another middleware has put a session on the request; another router of the kit may have. */
function hasOtherSession(req: Request): boolean {
  return !getState(req) && (req as { session?: unknown }).session !== undefined
}

/** The fault of a router under a path, `app.use('/auth', router)`, that its routes are not under. */
function mountFault({ options }: Auth, mountPath: string): ConfigError | undefined {
  const { baseUrl, routes } = options
  const prefix = baseUrl.pathname.replace(/\/$/, '')
  const isUnder = (path: string, folder: string): boolean =>
    path.toLowerCase().startsWith(`${folder.toLowerCase()}/`)
  const faults = Object.entries(routes)
    .filter(([, path]) => path && !isUnder(path, mountPath) && !isUnder(path, prefix + mountPath))
    .map(([name, path]) => {
      const own = String(path).slice(prefix.length)
      return {
        option: `routes.${name}`,
        remedy: `is "${own}", which a router mounted at "${mountPath}" never sees. Write app.use(createAuthRouter(…)) without a path and set "routes.${name}" to "${mountPath}${own}", or put "${mountPath}" at the end of "baseUrl".`,
      }
    })
  return faults.length > 0 ? new ConfigError(faults) : undefined
}

function sessionTwice(): LatchkeyError {
  return new LatchkeyError(
    'LATCHKEY_SESSION_TWICE',
    'Another middleware in front of createAuthRouter() has put a session on the request. Remove it, and pass its store as "session.store".',
  )
}
