import type { LatchkeyError } from '../errors/errors.ts'
import type { AppUser } from '../guard/user.ts'
import type { AuthRequest } from '../http/request.ts'
import type { AuthSession } from '../session/session.ts'
import type { MaybePromise } from '../shared/maybe-promise.ts'

/** A login that has passed every check and is about to become a session. */
export interface CallbackContext<U = AppUser> {
  readonly request: AuthRequest
  /** The claims the application will see. */
  readonly user: U
  readonly issuer: string
  /** The page that the login ends at. */
  readonly returnTo: string
  /**
   * The parameters that the provider sent the visitor back with, without `code` and `state`. Apple
   * sends the user's name here, only at the first login.
   */
  readonly parameters: Readonly<Record<string, string>>
  /** The access token, for an API that knows more about the user. */
  readonly accessToken: string
  /** The session that this browser had before. */
  readonly previous: AuthSession | undefined
}

/**
 * The third argument of `onError`: the framework's own request and response. Each adapter says what they
 * are; that of Express passes `{ req, res }`.
 */
export type OnError<Exchange = unknown> = (
  error: LatchkeyError,
  request: AuthRequest,
  exchange: Exchange,
) => MaybePromise<Response | 'answered' | undefined>

/** Steps of a login or logout that an application can take part in. Each is awaited; throwing stops. */
export interface Hooks<Exchange = unknown, U = AppUser> {
  /** Called before the visitor is redirected to the provider. Returned parameters are added to the request. */
  readonly beforeLogin?: (
    request: AuthRequest,
    parameters: Readonly<Record<string, string>>,
  ) => MaybePromise<Readonly<Record<string, string>> | undefined>
  /**
   * Called after every check and before there is a session. May change the user or the destination, which is
   * sanitized again; throw a {@link DeniedError} to turn the user away.
   */
  readonly afterCallback?: (
    context: CallbackContext<U>,
  ) => MaybePromise<
    { readonly user?: Readonly<Record<string, unknown>>; readonly returnTo?: string } | undefined
  >
  /** Called before a session is stored. May return another one. */
  readonly onSession?: (
    session: AuthSession,
    reason: 'login' | 'refresh' | 'adopted',
  ) => MaybePromise<AuthSession | undefined>
  /**
   * Called before the session of a login in a browser that this user has not logged in with before, such as to
   * send a mail. With this hook, a cookie remembers which users a browser is known to. A user who clears
   * cookies has a new device, and so has every user at the first login after the hook was added.
   */
  readonly onNewDevice?: (login: NewDevice<U>) => MaybePromise<undefined>
  /** Called after the session here was destroyed. Returned parameters are added to the provider's logout. */
  readonly beforeLogout?: (
    ended: AuthSession | undefined,
  ) => MaybePromise<Readonly<Record<string, string>> | undefined>
  /**
   * Called before an error is answered, that of a guard included. A returned `Response` is sent instead of the
   * page or the problem details of the kit. Return `'answered'` after answering through the framework's
   * own response, as with `res.render()`.
   */
  readonly onError?: OnError<Exchange>
  /**
   * Called after a logout token of the provider has ended sessions here. When it throws, the provider may
   * send the token again.
   */
  readonly onLogoutToken?: (notice: LogoutNotice) => MaybePromise<undefined>
}

/** A login in a browser that its user has not logged in with before. */
export interface NewDevice<U = AppUser> {
  readonly request: AuthRequest
  readonly user: U
  readonly issuer: string
  /** The browser and system, such as `Firefox on macOS`, where they are known. */
  readonly device: string | undefined
}

/** The content of a logout token. */
export interface LogoutNotice {
  readonly issuer: string
  readonly sub: string | undefined
  readonly sid: string | undefined
  /** How many sessions ended here. */
  readonly ended: number
}
