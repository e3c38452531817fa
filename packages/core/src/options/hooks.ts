import type { LatchkeyError } from '../errors/errors.ts'
import type { AppUser } from '../guard/user.ts'
import type { AuthRequest } from '../http/request.ts'
import type { AuthSession } from '../session/session.ts'
import type { MaybePromise } from '../shared/maybe-promise.ts'

/** A login that has passed every check, before its session is stored. */
export interface CallbackContext<U = AppUser> {
  readonly request: AuthRequest
  /** The claims of the user, as the application receives them. */
  readonly user: U
  readonly issuer: string
  /** The page to show after the login: a path of this site. */
  readonly returnTo: string
  /**
   * The parameters of the callback, without `code` and `state`. Apple sends the user's name here,
   * only at the first login.
   */
  readonly parameters: Readonly<Record<string, string>>
  /** The access token, for an API that knows more about the user. */
  readonly accessToken: string
  /** The session that this browser had before, if any. */
  readonly previous: AuthSession | undefined
}

/**
 * The hook `onError`. Its third argument has the framework's own request and response, such as `{
 * req, res }` in Express.
 */
export type OnError<Exchange = unknown> = (
  error: LatchkeyError,
  request: AuthRequest,
  exchange: Exchange,
) => MaybePromise<Response | 'answered' | undefined>

/**
 * Functions that take part in logins and logouts. Each hook is awaited. An error that a hook throws
 * stops the login or logout.
 */
export interface Hooks<Exchange = unknown, U = AppUser> {
  /**
   * Called before the visitor is redirected to the provider. The parameters that the hook returns
   * are added to the authorization request.
   */
  readonly beforeLogin?: (
    request: AuthRequest,
    parameters: Readonly<Record<string, string>>,
  ) => MaybePromise<Readonly<Record<string, string>> | undefined>
  /**
   * Called when a login has passed every check and has no session yet. The hook can return another
   * user or destination; the destination is checked again. Throw a {@link DeniedError} to refuse
   * the user.
   */
  readonly afterCallback?: (
    context: CallbackContext<U>,
  ) => MaybePromise<
    { readonly user?: Readonly<Record<string, unknown>>; readonly returnTo?: string } | undefined
  >
  /** Called before a session is stored. The hook can return another session to store instead. */
  readonly onSession?: (
    session: AuthSession,
    reason: 'login' | 'refresh' | 'adopted',
  ) => MaybePromise<AuthSession | undefined>
  /**
   * Called before a session is stored, if this user has not logged in with this browser before. Use
   * it to send a mail. A cookie remembers the users of the browser. So users who clear their
   * cookies have a new device, and every user has one at the first login after you add this hook.
   */
  readonly onNewDevice?: (login: NewDevice<U>) => MaybePromise<undefined>
  /**
   * Called after the session of this application was destroyed. The parameters that the hook
   * returns are added to the provider's logout.
   */
  readonly beforeLogout?: (
    ended: AuthSession | undefined,
  ) => MaybePromise<Readonly<Record<string, string>> | undefined>
  /**
   * Called before an error is answered, also one of a guard. A `Response` that it returns replaces
   * the kit's page or problem details. Return `'answered'` if you have sent the response yourself,
   * as with `res.render()`.
   */
  readonly onError?: OnError<Exchange>
  /**
   * Called after a logout token of the provider has ended sessions of this application. If it
   * throws, the provider may send the token again.
   */
  readonly onLogoutToken?: (notice: LogoutNotice) => MaybePromise<undefined>
}

/** A login in a browser that the user has not logged in with before. */
export interface NewDevice<U = AppUser> {
  readonly request: AuthRequest
  readonly user: U
  readonly issuer: string
  /** The browser and system, such as `Firefox on macOS`, if they are known. */
  readonly device: string | undefined
}

/** The content of a logout token (OpenID Connect Back-Channel Logout 1.0 §2.4). */
export interface LogoutNotice {
  readonly issuer: string
  readonly sub: string | undefined
  readonly sid: string | undefined
  /** The number of sessions of this application that the logout token ended. */
  readonly ended: number
}
