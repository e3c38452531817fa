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

/** The answer of a route of a {@link TestApplication}. */
export interface TestAnswer {
  /** Default 200. */
  readonly status?: number
  /** Headers, to be set through the framework's own functions; `set-cookie` may come several times. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** A stream is sent as it comes. */
  readonly body: string | Readable
}

/** The application's own data of a session, in the way that the adapter offers it. */
export interface TestData {
  get(): MaybePromise<Readonly<Record<string, unknown>>>
  set(values: Readonly<Record<string, unknown>>): MaybePromise<unknown>
  clear(): MaybePromise<unknown>
}

/** One request to a route, as the application sees it. */
export interface TestRequest {
  /** The object that the adapter puts on the request: `req.auth`, `c.var.auth` and so on. */
  readonly auth: RequestAuth<User, unknown>
  /** The user that the adapter's `getUser()` returns. */
  user(): User
  readonly data: TestData
  /** The object that a check of this route receives: the framework's own request or context. */
  readonly request: unknown
  /** The body as the body parser left it; `undefined` without one. */
  readonly body: unknown
}

/** One route of an application. */
export interface TestRoute {
  readonly method: 'get' | 'post'
  readonly path: string
  /** The requirement of `requireUser(requirement)` in front of the handler. Default: no guard. */
  readonly requirement?: Requirement
  /** The requirement of another `requireUser()` in front of that one. Default: none. */
  readonly outer?: Requirement
  /** Resolves to the answer. An error that it throws goes to the framework, as any handler's error does. */
  handle(request: TestRequest): Promise<TestAnswer>
}

/** A receiver of webhooks. */
export interface TestWebhook {
  readonly path: string
  readonly options: WebhookHandlerOptions
}

/** An application, described without a framework. The author of an adapter translates it. */
export interface TestApplication {
  readonly routes: readonly TestRoute[]
  /**
   * The place of a parser for forms and JSON: before the kit, after it, or none. A framework
   * without parsers reads the body in front of the kit itself, or ignores this.
   */
  readonly parser: 'before' | 'after' | 'none'
  /**
   * Headers that a middleware in front of the kit sets by the framework's own means for every answer;
   * `set-cookie` may come several times. Default none.
   */
  readonly inFront?: readonly (readonly [name: string, value: string])[]
  /**
   * The answer of the application's own error handler. Errors of the kit are always answered by the
   * adapter. Without one, the framework's default error handler answers.
   */
  readonly onError?: (error: unknown) => TestAnswer
  /**
   * The adapter's `createWebhookHandler()` is to be mounted here, behind the kit and in front of a parser that
   * comes after the kit. Only where the adapter under test says `webhooks`.
   */
  readonly webhook?: TestWebhook
}

/** An adapter under test. */
export interface AdapterUnderTest {
  /** Such as `Express 5`; with a store, `Express 5 on Redis`. */
  readonly name: string
  /**
   * Makes a server of node:http that does not listen yet: the adapter with these options, in front of
   * these routes.
   */
  createServer(options: AuthOptions, application: TestApplication): Server | Promise<Server>
  /**
   * Opens a store on the sessions that all servers share, as another process would. Default: the
   * memory store of the core.
   */
  readonly openStore?: () => MaybePromise<SessionStore>
  /**
   * Where sessions live: with `cookie`, `createServer` gets `session.store: 'cookie'`, and the cases that
   * need a store on the server are left out, with the reason in the table. Default `store`.
   */
  readonly sessions?: 'store' | 'cookie'
  /** Whether `createServer` mounts the `webhook` of an application. Default no; those cases are left out. */
  readonly webhooks?: boolean
  /**
   * Cases that the framework makes impossible, or groups of them, by their names, with the reason: the table
   * says so. Default none.
   */
  readonly without?: Readonly<Record<string, string>>
  /** Runs when all cases have run, to close what was opened. */
  readonly close?: () => unknown
}
