import type { TakeNote } from './development/notes.ts'
import type { StartPersonas } from './development/personas.ts'
import type { AnswerError } from './http/answer-error.ts'
import type { AuthRequest } from './http/request.ts'
import type { Publish } from './log/events.ts'
import type { Log } from './log/log.ts'
import type { FormKeeping } from './login/kept-form.ts'
import type { SameSiteReturn } from './login/same-site-return.ts'
import type { Transactions } from './login/transaction.ts'
import type { LogoutState } from './logout/logout-state.ts'
import type { ResolvedAuthOptions } from './options/options.ts'
import type { Provider } from './provider/provider.ts'
import type { Providers } from './provider/providers.ts'
import type { ProviderTransport } from './provider/transport.ts'
import type { Replays } from './session/replay-cache.ts'
import type { SessionWatch } from './session/session-watch.ts'
import type { StoredSession } from './session/stored-session.ts'
import type { StoredSessions } from './session/stored-sessions.ts'
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
  /** `undefined` unless the options ask for it. */
  readonly adoption: Adoption | undefined
  /** `undefined` unless the options ask for it. */
  readonly keptForms: FormKeeping | undefined
  readonly publish: Publish
  readonly log: Log
  readonly telemetry: Telemetry
  /** Records a note for the flight recorder; only in development. */
  readonly note: TakeNote | undefined
  readonly answerError: AnswerError
}

/** Goes on with the sessions of another login kit, so that a switch logs no user out. */
export interface Adoption {
  /**
   * Creates a session for a visitor who has the old cookie and no session of this kit, once.
   * Resolves to the `Set-Cookie` lines, such as those that remove the old cookie; `undefined` for every
   * other request. It never rejects.
   */
  adopt(asked: RequestContext): Promise<readonly string[]> | undefined
  /** At a logout: the old session of this browser is never adopted. Resolves to the `Set-Cookie` lines. */
  forget(asked: RequestContext): Promise<readonly string[]>
}

/** The parts that every flow shares while it answers one request. */
export interface RequestContext {
  readonly context: AuthContext
  readonly request: AuthRequest
  readonly session: StoredSession
  /** The provider of the request, which is chosen once; all exchanges share one budget of time. */
  provider(): MaybePromise<Provider>
}

/** Loads the personas of development. */
export type LoadPersonas = () => Promise<StartPersonas>

/** The features of the platform that an instance needs. */
export interface Platform {
  /** The source of options that are left out, usually `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Where events go. */
  readonly publish?: Publish
  /** Reaches providers when the options bring no `fetch`. Default the global `fetch`. */
  readonly transport?: ProviderTransport
  /** Finds the personas of development, if they are installed: `@latchkey/testing`. */
  readonly findPersonas?: () => LoadPersonas | undefined
  /** A transport that refuses private addresses; an issuer resolver needs one. */
  readonly guardedTransport?: ProviderTransport
}
