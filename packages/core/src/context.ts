import type { ProviderError, RequestError } from './errors/errors.ts'
import type { AnswerError } from './http/answer-error.ts'
import type { Observe } from './http/observation.ts'
import type { AuthRequest, AuthResponse } from './http/request.ts'
import type { Publish } from './log/events.ts'
import type { Log } from './log/log.ts'
import type { FormKeeping } from './login/kept-form.ts'
import type { SameSiteReturn } from './login/same-site-return.ts'
import type { Transactions } from './login/transaction.ts'
import type { LogoutState } from './logout/logout-state.ts'
import type { AnyAuthOptions, ResolvedAuthOptions } from './options/options.ts'
import type { Environment } from './options/resolve-options.ts'
import type { Provider } from './provider/provider.ts'
import type { Providers } from './provider/providers.ts'
import type { ProviderTransport } from './provider/transport.ts'
import type { Replays } from './session/replay-cache.ts'
import type { SessionWatch } from './session/session-watch.ts'
import type { StoredSession } from './session/stored-session.ts'
import type { StoredSessions } from './session/stored-sessions.ts'
import type { SessionStore } from './session/stores/session-store.ts'
import type { MaybePromise } from './shared/maybe-promise.ts'
import type { Telemetry } from './shared/telemetry.ts'
import type { Refresher } from './tokens/refresh.ts'
import type { UserRefresher } from './tokens/refresh-user.ts'

/** The parts that every flow of one instance shares. */
export interface AuthContext {
  readonly options: ResolvedAuthOptions
  readonly providers: Providers
  readonly transactions: Transactions
  readonly logoutState: LogoutState
  readonly sameSiteReturn: SameSiteReturn
  readonly storedSessions: StoredSessions
  readonly sessionWatch: SessionWatch
  readonly replays: Replays
  readonly refresher: Refresher
  readonly userRefresher: UserRefresher
  /** `undefined` without the option `session.adopt`. */
  readonly adoption: Adoption | undefined
  /** `undefined` without the option `keepForms`. */
  readonly keptForms: FormKeeping | undefined
  readonly publish: Publish
  readonly log: Log
  readonly telemetry: Telemetry
  /** Shows a step to the login recorder; only in development. */
  readonly observe: Observe | undefined
  readonly answerError: AnswerError
}

/** Continues sessions of another login kit, so that a switch logs no user out. */
export interface Adoption {
  /**
   * Creates a session, once, for a visitor who has the old cookie and no session of this kit.
   * Resolves to `Set-Cookie` values, such as those that remove the old cookie; `undefined` for
   * every other request. The promise never rejects.
   */
  adopt(asked: RequestContext): Promise<readonly string[]> | undefined
  /**
   * Marks the old session of this browser as used, so that it is not adopted after a logout.
   * Resolves to the `Set-Cookie` values that remove its cookie.
   */
  forget(asked: RequestContext): Promise<readonly string[]>
}

/** The parts that every flow shares while it answers one request. */
export interface RequestContext {
  readonly context: AuthContext
  readonly request: AuthRequest
  readonly session: StoredSession
  /** The provider of the request, chosen once. All exchanges with it share one time budget. */
  provider(): MaybePromise<Provider>
}

/**
 * Finds a package that the application has installed for development. Returns a function that loads
 * the package; `undefined` if it is not installed.
 */
export type FindPackage = (name: string) => (() => unknown) | undefined

/** The features that a login needs from its platform, such as Node. */
export interface Platform {
  /** The variables that give values to missing options, usually `process.env`. */
  readonly environment?: Environment
  /** Receives the events of the kit. */
  readonly publish?: Publish
  /**
   * Sends requests to providers when the option `fetch` is not set. Default: the global `fetch`.
   */
  readonly transport?: ProviderTransport
  /** Finds `@latchkey/development` and the packages it needs. Set only on a developer's machine. */
  readonly find?: FindPackage
  /** A transport that refuses private addresses. Required when `issuer` is a function. */
  readonly guardedTransport?: ProviderTransport
  /**
   * The sessions in memory, for options without a session store. Default: a new store for each
   * instance.
   */
  readonly memory?: SessionStore
}

/** The exports of `@latchkey/development`. */
export interface DevelopmentPackage {
  /**
   * Makes the development helpers of one instance.
   *
   * @param key - The development key. A browser without it gets no answer from the helpers.
   */
  createDevelopment(
    key: string,
    options: ResolvedAuthOptions,
    log: Log,
    personas: PersonaLogins | undefined,
  ): Development
  /**
   * Lets test users log in where no provider is configured; `undefined` if their package is not
   * installed.
   */
  providePersonas(
    given: PersonaSettings,
  ): { readonly resolved: ResolvedAuthOptions; readonly personas: PersonaLogins } | undefined
}

/** The helpers for development. */
export interface Development {
  /** `undefined` where the package is not installed. */
  readonly recorder?: Recorder
  /** Answers a request for a page of development; `undefined` for every other request. */
  answer(path: string, asked: RequestContext): MaybePromise<AuthResponse> | undefined
}

/** Keeps the steps of logins, logouts and refusals. */
export interface Recorder {
  readonly observe: Observe
  /** Receives an event that belongs to no request, such as a failed discovery. */
  readonly publish: Publish
  /** Records the responses of the kit's routes. */
  follow(asked: RequestContext, answered: Promise<AuthResponse>): Promise<AuthResponse>
}

/** The settings of personas, which are test users. */
export interface PersonaSettings {
  readonly options: AnyAuthOptions
  readonly environment: Environment
  readonly find: FindPackage
  readonly resolve: (options: AnyAuthOptions) => ResolvedAuthOptions
  readonly errors: ErrorClasses
}

/**
 * The error classes of the calling core, because the development package may load another copy of
 * core.
 */
export interface ErrorClasses {
  readonly ProviderError: typeof ProviderError
  readonly RequestError: typeof RequestError
}

/** The logins of test users. */
export interface PersonaLogins {
  /** Answers an authorization request; `undefined` for any other request. */
  answer(path: string, asked: RequestContext): Promise<AuthResponse> | undefined
}
