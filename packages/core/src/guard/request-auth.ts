import type { AuthContext } from '../context.ts'
import { AccessError, RefreshError } from '../errors.ts'
import type { AuthRequest, AuthResponse } from '../http/request.ts'
import { beginLogin, type LoginRequest } from '../login/login.ts'
import { type LogoutRequest, logOut } from '../logout/logout.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { Provider } from '../provider/provider.ts'
import type { AuthSession } from '../session/session.ts'
import { describeSession, type SessionInfo } from '../session/session-directory.ts'
import type { StoredSession } from '../session/stored-session.ts'
import type { AccessTokenRequest } from '../tokens/refresh.ts'
import { readUserInfo } from '../tokens/userinfo.ts'
import { sessionAt } from './guard.ts'

/**
 * The claims of the logged-in user. Add your own in the package that your application imports:
 * `declare module '@latchkey/express' { interface User { roles: string[] } }`.
 */
export interface User {
  sub: string
  name?: string
  email?: string
  email_verified?: boolean
  preferred_username?: string
  picture?: string
  [claim: string]: unknown
}

/** What a request knows about its user. Turned into JSON it holds no token. */
export interface RequestAuth<U = User> {
  readonly isAuthenticated: boolean
  /**
   * The user. Present behind a guard; elsewhere it is `undefined` for a visitor who is not signed
   * in, so look at `isAuthenticated` first.
   */
  readonly user: U
  /** Facts of the session, `undefined` for a visitor who is not signed in. */
  readonly session: SessionInfo | undefined
  /**
   * The access token, refreshed first when it is about to end.
   *
   * @throws {@link RefreshError} when there is none to be had.
   */
  accessToken(request?: AccessTokenRequest): Promise<string>
  /** The ID Token as the provider sent it last. */
  idToken(): string | undefined
  /**
   * Asks the provider for the user's claims now.
   *
   * @throws {@link CallbackError} with `LATCHKEY_USERINFO_INVALID` when it speaks of another user.
   */
  fetchUserInfo(): Promise<Record<string, unknown>>
  /**
   * Reads the user again now, from userinfo, and stores it in the session: roles that were taken away
   * at the provider are gone. Resolves to the user, which `user` is from then on too.
   *
   * @throws {@link RefreshError} when there is no access token, or the session has ended;
   *   {@link CallbackError} or {@link ProviderError} when userinfo cannot be used.
   */
  refreshUser(): Promise<U>
  /** Sends the visitor to log in. */
  login(request?: LoginRequest): Promise<void>
  /** Ends the session and sends the visitor on. */
  logout(request?: LogoutRequest): Promise<void>
  toJSON(): unknown
}

/** What an adapter does for the request it is at. */
export interface RequestPort {
  /** The session is looked at: from now on no cache may keep the response. */
  sessionUsed(): void
  /** Sends what `login` and `logout` come to. */
  send(response: AuthResponse): void
}

/** What describing a request takes. */
export interface RequestAuthSource {
  readonly context: AuthContext
  readonly request: AuthRequest
  readonly session: StoredSession
  readonly port: RequestPort
}

/** Describes a request by the session it came with, if that is one of the request's provider. */
export function describeRequest(source: RequestAuthSource): MaybePromise<RequestAuth> {
  const { context, session } = source
  const { fixed } = context.providers
  const isDue = context.userRefresher.isDue(session.current)
  if ((fixed && !isDue) || !session.current) return new SessionRequestAuth(source, fixed)
  return describeLater(source, isDue)
}

async function describeLater(source: RequestAuthSource, isDue: boolean): Promise<RequestAuth> {
  const { context, request, session } = source
  const provider = await context.providers.of(request)
  if (isDue && sessionAt(provider, session.current)) {
    await context.userRefresher.refreshDue(provider, session)
  }
  return new SessionRequestAuth(source, provider)
}

class SessionRequestAuth implements RequestAuth {
  readonly #source: RequestAuthSource
  readonly #provider: Provider | undefined

  constructor(source: RequestAuthSource, provider: Provider | undefined) {
    this.#source = source
    this.#provider = provider
  }

  get isAuthenticated(): boolean {
    return this.#current() !== undefined
  }

  get user(): User {
    return this.#current()?.user as User
  }

  get session(): SessionInfo | undefined {
    const current = this.#current()
    const { id } = this.#source.session
    return current && id ? describeSession(id, current) : undefined
  }

  async accessToken(wanted?: AccessTokenRequest): Promise<string> {
    const { context, request, session } = this.#source
    if (!this.#current()) throw new RefreshError('LATCHKEY_TOKEN_ABSENT', 'Nobody is signed in.')
    return context.refresher.accessToken(await context.providers.of(request), session, wanted)
  }

  idToken(): string | undefined {
    return this.#current()?.idToken
  }

  async fetchUserInfo(): Promise<Record<string, unknown>> {
    const { context, request } = this.#source
    const found = this.#current()
    if (!found) throw new AccessError('LATCHKEY_LOGIN_REQUIRED', 'Nobody is signed in.')
    const token = await this.accessToken()
    const provider = await context.providers.of(request)
    return readUserInfo(provider, token, found.sub, context.options.now())
  }

  async refreshUser(): Promise<User> {
    const { context, request, session } = this.#source
    if (!this.#current()) throw new RefreshError('LATCHKEY_TOKEN_ABSENT', 'Nobody is signed in.')
    const provider = await context.providers.of(request)
    const { user } = await context.userRefresher.refresh(provider, session)
    return user as User
  }

  async login(login: LoginRequest = {}): Promise<void> {
    const { context, request, port } = this.#source
    const returnTo = login.returnTo ?? (request.method === 'GET' ? request.url : undefined)
    port.send(await beginLogin(context, request, { ...login, returnTo }))
  }

  async logout(logout?: LogoutRequest): Promise<void> {
    const { context, request, session, port } = this.#source
    port.send(await logOut(context, request, session, logout))
  }

  toJSON(): unknown {
    const { isAuthenticated, user, session } = this
    return { isAuthenticated, user, session }
  }

  #current(): AuthSession | undefined {
    const { session, port } = this.#source
    port.sessionUsed()
    if (session.failure) throw session.failure
    return this.#provider && sessionAt(this.#provider, session.current)
  }
}
