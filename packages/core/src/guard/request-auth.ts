import {
  AccessError,
  ConfigError,
  DeniedError,
  type LatchkeyError,
  RefreshError,
  SessionEndedError,
} from '../errors/errors.ts'
import type { AuthResponse } from '../http/request.ts'
import { beginLogin, type LoginRequest } from '../login/login.ts'
import { type LogoutRequest, logOut } from '../logout/logout.ts'
import type { AuthSession } from '../session/session.ts'
import { describeSession, type SessionInfo } from '../session/session-directory.ts'
import { callApi } from '../tokens/call-api.ts'
import type { AccessTokenRequest } from '../tokens/refresh.ts'
import { readUserInfo } from '../tokens/userinfo.ts'
import { failedOf } from './failed-requirement.ts'
import type { GuardedRequest } from './guard.ts'
import { type ByMember, checkUserRequirement, type UserRequirement } from './requirement.ts'
import type { AppUser } from './user.ts'

/** The methods of a request, whether or not a user is logged in. */
interface RequestActions<U, Sent> {
  /**
   * Whether a user is logged in, has these roles and claims, and passes this check. Use it in
   * templates and handlers that show more to some users. It sends no response, so the route still
   * needs its guard.
   *
   * @throws {@link ConfigError} for an unknown name, a wrong type, a member that is `undefined` or
   *   empty, and a check that returns a promise.
   */
  has(asked: ByMember<UserRequirement<U>>): boolean
  /**
   * The access token, refreshed first if it is about to expire.
   *
   * @throws {@link RefreshError} if the request has no session of a user, if there is neither a
   *   valid access token nor a refresh token, or if the provider refuses or does not answer.
   */
  accessToken(request?: AccessTokenRequest): Promise<string>
  /**
   * Calls an API with the user's access token, refreshed first if it is about to expire. With
   * `dpop: true`, the request also has the proof (RFC 9449). Redirects are not followed.
   *
   * @throws {@link RefreshError} as `accessToken()` does; {@link LatchkeyError} with
   *   `LATCHKEY_BODY_SENT` when the API asks for a nonce and the body was a stream: call `fetch()`
   *   again with a new stream.
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
  /** The latest ID token, as the provider sent it. */
  idToken(): string | undefined
  /**
   * Asks the provider for the user's claims now (userinfo, OIDC Core 1.0 §5.3).
   *
   * @throws {@link CallbackError} with `LATCHKEY_USERINFO_INVALID` when the answer is about another
   *   user; {@link RefreshError} as `accessToken()` does.
   */
  fetchUserInfo(): Promise<Record<string, unknown>>
  /**
   * Reads the user from userinfo now and stores it in the session. Roles that userinfo has had and
   * no longer has are gone, so set the option `userinfo`, which reads it at the login, too. Roles
   * that only an ID token has had stay until a refresh of tokens brings a new one. Resolves to the
   * new user; `user` returns it too from then on.
   *
   * @throws {@link RefreshError} when there is no access token, the session has ended, or the schema
   *   of the option `claims` fails; {@link CallbackError} or {@link ProviderError} when userinfo cannot be used.
   */
  refreshUser(): Promise<U>
  /**
   * Gives the session a new id, and the browser a new cookie. Call it when the user's rights
   * change, before the first byte of the response. The login and the data stay; the old id is
   * invalid.
   *
   * @throws {@link RefreshError} when no user is logged in by a session, or a refresh of the tokens
   *   does not finish; {@link SessionEndedError} when the session has ended meanwhile.
   */
  renewSession(): Promise<void>
  /**
   * A signal for WebSockets and event streams. It is aborted when the session is logged out, is
   * revoked, expires, or is ended by the provider: at once if that happens in this process, and
   * within ten seconds otherwise. If no user is logged in, it is aborted from the start. The
   * session is watched until the response ends; a handler that returns a `Response` must call this
   * before it returns. If a session has more than 100 connections in a process, or the bearer
   * tokens of a user more than 1,000, the signal of the oldest is aborted.
   */
  ended(): AbortSignal
  /** Redirects the visitor to the provider to log in. */
  login(request?: LoginRequest): Promise<Sent>
  /** Ends the session and redirects the visitor, by default through the provider's logout. */
  logout(request?: LogoutRequest): Promise<Sent>
  toJSON(): unknown
}

/**
 * The user of a request and their session. Check `isAuthenticated` first: the types of `user` and
 * `session` follow from it. The JSON of this object has no token. If the session store did not
 * answer, reading `isAuthenticated`, `user` or `session` throws a {@link SessionStoreError},
 * because the user may well be logged in.
 *
 * @typeParam Sent - The result of `login()` and `logout()`: nothing if the framework has sent the
 *   response, and the response itself if the handler returns it.
 */
export type RequestAuth<U = AppUser, Sent = void> = RequestActions<U, Sent> &
  (
    | { readonly isAuthenticated: true; readonly user: U; readonly session: SessionInfo }
    | { readonly isAuthenticated: false; readonly user: undefined; readonly session: undefined }
  )

/** A request, with the functions that its {@link RequestAuth} needs. */
export interface RequestAuthSource<Sent> extends GuardedRequest {
  /** Marks the response as dependent on the session, so that no shared cache keeps it. */
  sessionUsed(): void
  /** Sets cookies on the response. */
  setCookies(cookies: readonly string[]): void
  /** Sets the session's cookies now if they have changed and the headers are not sent yet. */
  sessionChanged(): void
  /** Sends the response of `login()` or `logout()`. */
  respond(response: AuthResponse): Sent
}

/** Describes the user of a request by its session or bearer token. */
export function requestAuthOf<U, Sent>(source: RequestAuthSource<Sent>): RequestAuth<U, Sent> {
  // The class has the members of both cases. The session decides which case applies.
  return new SessionRequestAuth<U, Sent>(source) as unknown as RequestAuth<U, Sent>
}

/**
 * The logged-in user.
 *
 * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` when no user is logged in.
 */
export function userOf<U, Sent>(auth: RequestAuth<U, Sent>): U {
  if (auth.isAuthenticated) return auth.user
  throw new AccessError(
    'LATCHKEY_LOGIN_REQUIRED',
    'No user is logged in. Put requireUser() in front, or look at isAuthenticated first.',
  )
}

const ANSWER_AT_ONCE =
  'must answer at once with true or false. Await what it needs first, or use requireUser().'

class SessionRequestAuth<U, Sent> implements RequestActions<U, Sent> {
  readonly #source: RequestAuthSource<Sent>

  constructor(source: RequestAuthSource<Sent>) {
    this.#source = source
  }

  get isAuthenticated(): boolean {
    return this.#current() !== undefined
  }

  get user(): U | undefined {
    return this.#current()?.user as U | undefined
  }

  get session(): SessionInfo | undefined {
    const current = this.#current()
    const { session, bearer } = this.#source
    const id = bearer?.id ?? session.id
    return current && id ? describeSession(id, current) : undefined
  }

  has(asked: ByMember<UserRequirement<U>>): boolean {
    checkUserRequirement(asked)
    const current = this.#current()
    if (!current) return false
    const { context, request } = this.#source
    try {
      const failed = failedOf(context.options, current.user, asked, request)
      if (!(failed instanceof Promise)) return failed === undefined
      // The error below is thrown instead. A rejection of this promise must not be reported as
      // unhandled.
      failed.catch(() => {})
    } catch (error) {
      if (error instanceof DeniedError) return false
      throw error
    }
    throw new ConfigError([{ option: 'check', remedy: ANSWER_AT_ONCE }], 'auth.has() cannot wait:')
  }

  async accessToken(wanted?: AccessTokenRequest): Promise<string> {
    const { context, session } = this.#source
    this.#mustBeLoggedIn()
    const provider = await this.#source.provider()
    try {
      return await context.refresher.accessToken(provider, session, wanted)
    } finally {
      this.#source.sessionChanged()
    }
  }

  async fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const accessToken = await this.accessToken()
    const tokens = (await this.#source.session.read())?.tokens ?? { accessToken }
    return callApi(await this.#source.provider(), tokens, url, init)
  }

  idToken(): string | undefined {
    return this.#current()?.idToken
  }

  async fetchUserInfo(): Promise<Record<string, unknown>> {
    const { sub } = this.#mustBeLoggedIn()
    const accessToken = await this.accessToken()
    const tokens = (await this.#source.session.read())?.tokens ?? { accessToken }
    const { now } = this.#source.context.options
    return readUserInfo(await this.#source.provider(), tokens, sub, now())
  }

  async refreshUser(): Promise<U> {
    const { context, session } = this.#source
    this.#mustBeLoggedIn()
    const provider = await this.#source.provider()
    try {
      return (await context.userRefresher.refresh(provider, session)).user as U
    } finally {
      this.#source.sessionChanged()
    }
  }

  async renewSession(): Promise<void> {
    this.#mustBeLoggedIn()
    const { session } = this.#source
    await session.regenerate({ keepsData: true })
    this.#source.setCookies(session.setCookies)
  }

  async login(login: LoginRequest = {}): Promise<Sent> {
    const { request } = this.#source
    const returnTo = login.returnTo ?? (request.method === 'GET' ? request.url : undefined)
    this.#source.sessionUsed()
    return this.#source.respond(await beginLogin(this.#source, { ...login, returnTo }))
  }

  async logout(logout?: LogoutRequest): Promise<Sent> {
    this.#source.sessionUsed()
    return this.#source.respond(await logOut(this.#source, logout))
  }

  ended(): AbortSignal {
    const current = this.#current()
    if (!current) return AbortSignal.abort(new SessionEndedError('No user is logged in.'))
    const { context, request, session, bearer } = this.#source
    const { issuer, sub, expiresAt } = current
    const id = bearer ? undefined : session.id
    return context.sessionWatch.until(request, { id, issuer, sub, expiresAt })
  }

  toJSON(): unknown {
    const { isAuthenticated, user, session } = this
    return { isAuthenticated, user, session }
  }

  /**
   * The login of the request; `undefined` if no user is logged in. Throws if the store did not
   * answer, so that a failure is not taken for a visitor who is logged out.
   */
  #current(): AuthSession | undefined {
    const { session, bearer, current } = this.#source
    this.#source.sessionUsed()
    if (!bearer) session.mustBeKnown()
    return current
  }

  #mustBeLoggedIn(): AuthSession {
    const found = this.#current()
    const { bearer } = this.#source
    if (found && !bearer) return found
    const reason = bearer
      ? 'The request has a bearer token and no session.'
      : 'No user is logged in.'
    throw new RefreshError('LATCHKEY_TOKEN_ABSENT', reason)
  }
}
