import type { Server } from 'node:http'
import type { Readable } from 'node:stream'
import type {
  AuthOptions,
  RequestAuth,
  Requirement,
  SessionStore,
  User,
  WebhookHandlerOptions,
} from '@latchkey/core'

type MaybePromise<T> = T | Promise<T>

/** The response of a route of a {@link TestApplication}. */
export interface TestAnswer {
  /** The HTTP status. Default 200. */
  readonly status?: number
  /**
   * The headers. Set them through the framework's own functions. `set-cookie` can occur several
   * times.
   */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** The body. A stream is sent chunk by chunk. */
  readonly body: string | Readable
}

/** The application's own data in the session, as the adapter offers it. */
export interface TestData {
  get(): MaybePromise<Readonly<Record<string, unknown>>>
  set(values: Readonly<Record<string, unknown>>): MaybePromise<unknown>
  clear(): MaybePromise<unknown>
}

/** A request to a route, as the application gets it. */
export interface TestRequest {
  /** The object that the adapter adds to the request, such as `req.auth` or `c.var.auth`. */
  readonly auth: RequestAuth<User, unknown>
  /** The user that the adapter's `getUser()` returns. */
  user(): User
  readonly data: TestData
  /** The framework's own request or context, which the `check` of this route receives. */
  readonly request: unknown
  /** The parsed body; `undefined` without a body parser. */
  readonly body: unknown
}

/** One route of an application. */
export interface TestRoute {
  readonly method: 'get' | 'post'
  readonly path: string
  /** The requirement of `requireUser(requirement)` in front of the handler. Default: no guard. */
  readonly requirement?: Requirement
  /** The requirement of another `requireUser()` in front of that guard. Default: no other guard. */
  readonly outer?: Requirement
  /** Returns the response. A thrown error goes to the framework, as with any handler. */
  handle(request: TestRequest): Promise<TestAnswer>
}

/** A webhook handler to mount. */
export interface TestWebhook {
  readonly path: string
  readonly options: WebhookHandlerOptions
}

/** An application, described without a framework. `createServer` builds it with your framework. */
export interface TestApplication {
  readonly routes: readonly TestRoute[]
  /**
   * The place of a body parser for forms and JSON: before the kit, after it, or none. If the
   * framework has no body parsers, read the body before the kit yourself, or ignore this.
   */
  readonly parser: 'before' | 'after' | 'none'
  /**
   * Headers that a middleware before the kit sets on every response, with the functions of the
   * framework. `set-cookie` can occur several times. Default none.
   */
  readonly inFront?: readonly (readonly [name: string, value: string])[]
  /**
   * The response of the application's own error handler. Default: the framework's own error
   * handler. The adapter always answers errors of the kit itself.
   */
  readonly onError?: (error: unknown) => TestAnswer
  /**
   * Where to mount the adapter's `createWebhookHandler()`: after the kit, and before a body parser
   * that comes after the kit. Set only if the adapter under test has `webhooks: true`.
   */
  readonly webhook?: TestWebhook
}

/** An adapter under test. */
export interface AdapterUnderTest {
  /** The name in the table, such as `Express 5` or `Express 5 on Redis`. */
  readonly name: string
  /**
   * Makes a server of node:http that does not listen yet. It mounts the adapter with these options,
   * and after it the routes of the application.
   */
  createServer(options: AuthOptions, application: TestApplication): Server | Promise<Server>
  /**
   * Opens one more store on the same sessions, as another process would. Default: the memory store
   * of the kit.
   */
  readonly openStore?: () => MaybePromise<SessionStore>
  /**
   * Where sessions are stored. With `cookie`, `createServer` gets `session.store: 'cookie'`, and
   * cases that need a store on the server are skipped. The table names the reason. Default `store`.
   */
  readonly sessions?: 'store' | 'cookie'
  /**
   * Whether `createServer` mounts the `webhook` of an application. Default `false`: the cases of
   * webhooks are skipped.
   */
  readonly webhooks?: boolean
  /**
   * Cases or groups of cases that the framework makes impossible: the reason by name. They are
   * skipped, and the table shows the reason. Default none.
   */
  readonly without?: Readonly<Record<string, string>>
  /** Called after the last case, to close stores and connections. */
  readonly close?: () => unknown
}
