import {
  type AppUser,
  type Auth,
  type AuthHandle,
  type AuthOptions as CoreAuthOptions,
  createAuth as createCoreAuth,
  LatchkeyError,
  type RequestAuth,
  type Requirement,
} from '@latchkey/core'
import {
  asGuard,
  checkGuard,
  createVisits,
  type GuardArguments,
  mustBeCalled,
  requirementOf,
  type Visits,
} from '@latchkey/core/adapter'
import { nodePlatform, type SocketHandle, socketHandle, toAuthRequest } from '@latchkey/core/node'
import type {
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
} from 'fastify'
import { keepRoutes } from './keep-routes.ts'
import { prefixFault } from './prefix-fault.ts'
import { replyPort } from './reply-port.ts'

export * from '@latchkey/core/application'
export { createWebhookHandler, type WebhookRoute } from './webhooks.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The user of this request and their session. */
    readonly auth: RequestAuth<AppUser, FastifyReply>
  }
}

/** The plugin for `app.register()`, with methods such as `ready()` that need no request. */
export interface AuthPlugin extends FastifyPluginAsync, AuthHandle, SocketHandle {}

/** The options of {@link createAuth}. */
export type AuthOptions<U = AppUser> = CoreAuthOptions<
  U,
  { readonly request: FastifyRequest; readonly reply: FastifyReply }
>

/**
 * @deprecated Use {@link AuthOptions}, its name in every package.
 */
export type AuthPluginOptions<U = AppUser> = AuthOptions<U>

const visits: Visits<FastifyRequest, FastifyReply> = createVisits(
  'await app.register(createAuth(…))',
)

/** The user of a request and their session: `request.auth`, with the type of the user. */
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
 * Adds the login, callback and logout routes, and `request.auth` to all other requests. The kit
 * answers its own routes in `onRequest`, before any body parser. If a handler throws an error of
 * the kit, the response is the error page or the problem details of that error.
 *
 * @throws {@link ConfigError} listing everything wrong with the options.
 */
export function createAuth<U = AppUser>(
  options: AuthOptions<U> = {},
  ...more: readonly never[]
): AuthPlugin {
  mustBeCalled(more, 'createAuth()', 'await app.register(createAuth())')
  const auth = createCoreAuth(options, nodePlatform())
  const plugin: FastifyPluginAsync<{ readonly prefix?: string }> = async (app, { prefix }) => {
    const fault = prefix ? prefixFault(auth as Auth, prefix) : undefined
    if (fault) throw fault
    keepRoutes(app)
    app.decorateRequest('auth', {
      getter() {
        return getAuth(this)
      },
    })
    app.addHook('onRequest', async (request, reply) => {
      const details = {
        exchange: { request, reply },
        // A getter, because Fastify parses the body after `onRequest`. A guard of NestJS runs after
        // the body parser and may need the body.
        get body() {
          return request.body
        },
      }
      // A handshake of a WebSocket has no response of its own, so its connection counts.
      const response = request.headers.upgrade === undefined ? reply.raw : undefined
      const asked = toAuthRequest(request.raw, auth.baseUrl, details, response)
      const visit = await auth.visit(asked, replyPort(reply))
      if (visit.answer) return visit.send(visit.answer)
      visits.set(request, visit)
    })
    app.addHook('onRoute', (route) => {
      const { onRequest, preParsing, preValidation, preHandler, errorHandler } = route
      for (const hook of [onRequest, preParsing, preValidation, preHandler].flat())
        checkGuard(hook, options)
      route.errorHandler = (error, request, reply) => {
        const visit = visits.find<U>(request)
        if (error instanceof LatchkeyError && visit) {
          const failed = (cause: unknown): FastifyReply => reply.send(cause)
          visit.answerError(error).then((answer) => visit.send(answer), failed)
        } else if (errorHandler) errorHandler.call(app, error, request, reply)
        // An error that is thrown here is passed to the application's error handler.
        else throw error
      }
    })
  }
  const { sessions, ready, health } = auth
  const { socket } = socketHandle(auth as Auth)
  return Object.assign(plugin, {
    ...{ sessions, ready, health, socket },
    // Fastify adds the hooks and `request.auth` to the whole application. Without this symbol, they
    // would exist only inside of the plugin.
    [Symbol.for('skip-override')]: true,
  })
}

/**
 * An `onRequest` hook that lets logged-in users through. It redirects pages to the login, and
 * answers API requests with 401.
 *
 * @throws {@link ConfigError} for a requirement with an unknown name, a wrong type, or a member
 *   that is `undefined` or empty.
 */
export function requireUser<U = AppUser>(
  ...given: GuardArguments<Requirement<FastifyRequest, U>>
): onRequestAsyncHookHandler {
  const requirement = requirementOf(given)
  return asGuard<onRequestAsyncHookHandler>(async (request) => {
    const visit = visits.of<U>(request)
    const refusal = await visit.admit(requirement, request)
    return refusal && visit.send(refusal)
  }, requirement)
}
