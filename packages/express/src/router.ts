import type { AuthHealth, SessionDirectory, User } from '@latchkey/core'
import {
  AccessError,
  type Auth,
  type AuthOptions,
  type ClaimsSchema,
  createAuth,
} from '@latchkey/core'
import { markPrivate, nodePlatform, toAuthRequest, writeResponse } from '@latchkey/core/node'
import { type NextFunction, type Request, type Response, Router } from 'express'
import { type AttachSession, createLazySession } from './lazy-session.ts'
import { setState } from './request-state.ts'

/** The options of {@link createAuthRouter}: those of the core. */
export interface AuthRouterOptions<U = User> extends AuthOptions {
  readonly claims?: ClaimsSchema<U>
}

/** What an application mounts, and what it can ask afterwards. */
export interface AuthRouter<U = User> extends Router {
  /** The sessions of users, on every device. Needs a store with an index. */
  readonly sessions: SessionDirectory
  /**
   * The signed-in user of a request, typed by the schema of the options.
   *
   * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` when nobody is signed in.
   */
  getUser(req: Request): U
  /**
   * Resolves once the provider is known, for a readiness probe.
   *
   * @throws {@link ProviderError} when it cannot be asked.
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
  const auth = createAuth(options, nodePlatform())
  const attachSession = createLazySession(auth.storedSessions)
  const router = Router()
  router.use((req, res, next) => {
    prepare(auth, attachSession, req, res, next).catch(next)
  })
  return Object.assign(router, {
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

async function prepare(
  auth: Auth,
  attachSession: AttachSession,
  req: Request,
  res: Response,
  next: NextFunction,
): Promise<void> {
  const request = toAuthRequest(req, auth.options.baseUrl.origin)
  const opened = auth.storedSessions.open(req.headers.cookie)
  const session = opened instanceof Promise ? await opened : opened
  const send = (response: globalThis.Response): Promise<void> =>
    writeResponse(res, response, session.setCookies)
  const answer = await auth.handle(request, session)
  if (answer) return send(answer)

  const onUse = (): void => markPrivate(res)
  const resolver = typeof auth.options.registration === 'function'
  const mine =
    !resolver || !session.current || (await auth.currentSession(request, session)) !== undefined
  const current = (): typeof session.current => {
    onUse()
    if (session.failure) throw session.failure
    return mine ? session.current : undefined
  }
  attachSession(req, res, session, onUse)
  setState(req, { auth, request, session }, auth.describe(request, session, current, send))
  next()
}
