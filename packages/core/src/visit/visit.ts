import type { AuthContext, RequestContext } from '../context.ts'
import { AccessError, LatchkeyError } from '../errors/errors.ts'
import type { BearerLogin } from '../guard/bearer-token.ts'
import { authorize } from '../guard/guard.ts'
import { type McpAuth, mcpAuthOf } from '../guard/mcp-auth.ts'
import { type Decision, decide, type Refusal } from '../guard/refusal.ts'
import { scopeChallenge } from '../guard/refusals.ts'
import { type RequestAuth, requestAuthOf, userOf } from '../guard/request-auth.ts'
import { type ByMember, checkRequirement, type Requirement } from '../guard/requirement.ts'
import type { AppUser } from '../guard/user.ts'
import { type HeaderSink, markPrivate, removeCookies, writeHeaders } from '../http/headers.ts'
import type { AuthRequest, AuthResponse } from '../http/request.ts'
import { sessionAt } from '../login/session-strength.ts'
import { beginSilentLogin } from '../login/silent-login.ts'
import type { Provider } from '../provider/provider.ts'
import type { AuthSession } from '../session/session.ts'
import { createSessionData, type SessionData } from '../session/session-data.ts'
import type { StoredSession } from '../session/stored-session.ts'
import type { MaybePromise } from '../shared/maybe-promise.ts'

/** A response to send. Its headers are already set on the {@link ResponsePort}. */
export type Answer = Omit<AuthResponse, 'headers'>

/**
 * The part of the framework's response that the kit needs. A `Headers` object is enough.
 *
 * @typeParam Sent - The result of `send`, of `auth.login()` and of `auth.logout()`.
 */
export interface ResponsePort<Sent = Answer> extends HeaderSink {
  /** Whether the headers have been sent, so that no cookie can be set any more. Default `false`. */
  readonly isSent?: boolean
  /**
   * Calls `write` just before the headers are sent, so that neither the application nor an error
   * handler can undo the change. Without this method, `write` is called at once.
   */
  beforeSent?(write: (headers: HeaderSink) => void): void
  /**
   * Sends the response of `auth.login()` and `auth.logout()`. Default: they return the response.
   */
  send?(answer: Answer): Sent
}

/** One request: its user and session, and the decisions of guards about the request. */
export interface Visit<U = AppUser, Sent = Answer> {
  /**
   * The kit's response, if the request is for one of the kit's routes. Send this response, and
   * nothing else. After `auth.login()` and `auth.logout()`, the response that they have sent or
   * returned.
   */
  readonly answer: Answer | undefined
  /**
   * The base URL of the request: if the option `baseUrl` is a list, the one whose host the browser
   * asked for.
   */
  readonly baseUrl: URL
  /** The user, the session and the tokens, as the application gets them. */
  readonly auth: RequestAuth<U, Sent>
  /** The application's own data in the session. */
  readonly data: SessionData
  /**
   * The logged-in user.
   *
   * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` when no user is logged in; {@link
   *   SessionStoreError} when the store did not answer.
   */
  user(): U
  /**
   * Checks the request against the requirement of a guard. Returns `undefined` if it passes,
   * otherwise the response to send. Returns a promise only when it has to wait.
   *
   * @param subject - The request that `check` and claim functions receive. Default: the {@link
   *   AuthRequest}.
   */
  admit(
    requirement?: ByMember<Requirement<never, U>>,
    subject?: unknown,
  ): MaybePromise<Answer | undefined>
  /**
   * The bearer token of the request, in the shape of the SDK of the Model Context Protocol
   * (`AuthInfo`).
   *
   * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` if no guard has accepted a bearer
   *   token.
   */
  mcpAuth(): McpAuth
  /**
   * Requires scopes that depend on the body of the request. A session needs no scopes.
   *
   * @throws {@link AccessError} with `LATCHKEY_SCOPE_MISSING` when the bearer token lacks a scope,
   *   and with `LATCHKEY_LOGIN_REQUIRED` when no user is logged in.
   */
  requireScopes(scopes: readonly string[]): void
  /**
   * Checks the request as `admit()` does, for GraphQL and messages of a WebSocket, which have no
   * HTTP response of their own. No response is written, and the hook `onError` is not called.
   *
   * @returns `undefined` if the request passes, otherwise the refusal.
   */
  refusal(
    requirement?: ByMember<Requirement<never, U>>,
    subject?: unknown,
  ): Promise<Refusal | undefined>
  /**
   * Checks the request as `refusal()` does. Returns the refusal or the user whom this guard lets in,
   * who stays the same when guards of the request decide at the same time.
   */
  decide(
    requirement?: ByMember<Requirement<never, U>>,
    subject?: unknown,
  ): Promise<Decision<U, Sent>>
  /** Makes the response to an error of the kit. Rethrows every other error. */
  answerError(error: unknown): Promise<Answer>
  /** Sends a response through the {@link ResponsePort}. */
  send(answer: Answer): Sent
  /** The session itself, for bridges to another session library. */
  readonly session: StoredSession
  /**
   * Marks the response as private, so that no shared cache keeps it. Call this if you use the
   * session without `auth` and `data`.
   */
  sessionUsed(): void
}

/** The parts from which a visit is made. */
export interface VisitParts<Sent> {
  readonly context: AuthContext
  readonly request: AuthRequest
  readonly session: StoredSession
  readonly response: ResponsePort<Sent>
}

/**
 * Opens a visit: answers the request if it is for a route of the kit, and otherwise finds its
 * session and user. The order is the same under every framework.
 *
 * @param route - Answers one of the kit's own routes; `undefined` for every other request.
 */
export function openVisit<U, Sent>(
  parts: VisitParts<Sent>,
  route: (asked: RequestContext) => Promise<AuthResponse> | undefined,
): MaybePromise<Visit<U, Sent>> {
  const visit = new KitVisit<U, Sent>(parts)
  const opened = (): MaybePromise<KitVisit<U, Sent>> => {
    const answered = route(visit)
    return answered ? visit.take(answered) : visit.identify()
  }
  const adopting = parts.context.adoption?.adopt(visit)
  return adopting ? adopting.then((cookies) => visit.adopted(cookies)).then(opened) : opened()
}

/**
 * Opens a visit for a document that is the same for everybody. No session is opened, so caches may
 * keep the response.
 */
export function openPublicVisit<U, Sent>(
  parts: VisitParts<Sent>,
  respond: (asked: RequestContext) => Promise<AuthResponse>,
): Promise<Visit<U, Sent>> {
  return new KitVisit<U, Sent>(parts).publish(respond)
}

/**
 * A visit. Its fields are private, so that an error reporter that prints a request prints no
 * secret.
 */
class KitVisit<U, Sent> implements Visit<U, Sent>, RequestContext {
  readonly #parts: VisitParts<Sent>
  #chosen: MaybePromise<Provider> | undefined
  #provider: Provider | undefined
  #answer: Answer | undefined
  #auth: RequestAuth<U, Sent> | undefined
  #data: SessionData | undefined
  #isPrivate = false
  #removed: readonly string[] = []
  /** The session's cookies that were set before the headers are sent. */
  #early: readonly string[] | undefined
  #bearer: BearerLogin | undefined

  constructor(parts: VisitParts<Sent>) {
    this.#parts = parts
    this.#provider = parts.context.providers.fixed
  }

  get answer(): Answer | undefined {
    return this.#answer
  }

  get baseUrl(): URL {
    return this.context.options.baseUrl
  }

  get auth(): RequestAuth<U, Sent> {
    this.#auth ??= requestAuthOf<U, Sent>(this)
    return this.#auth
  }

  get data(): SessionData {
    this.#data ??= createSessionData(this.#parts.context.storedSessions, this.session, this)
    return this.#data
  }

  get context(): AuthContext {
    return this.#parts.context
  }

  get request(): AuthRequest {
    return this.#parts.request
  }

  get session(): StoredSession {
    return this.#parts.session
  }

  get bearer(): BearerLogin | undefined {
    return this.#bearer
  }

  set bearer(login: BearerLogin | undefined) {
    this.#bearer = login
  }

  /**
   * The login of the accepted bearer token. Without one, the session, if it began with the provider
   * of the request.
   */
  get current(): AuthSession | undefined {
    return this.#bearer ? this.#bearer.login : this.ofSession
  }

  get ofSession(): AuthSession | undefined {
    return this.#provider && sessionAt(this.#provider, this.session.current)
  }

  provider(): MaybePromise<Provider> {
    this.#chosen ??= this.context.providers.of(this.request)
    return this.#chosen
  }

  sessionUsed(): void {
    if (this.#isPrivate) return
    this.#isPrivate = true
    const { response } = this.#parts
    if (response.beforeSent) response.beforeSent((headers) => this.#finish(headers))
    else this.#finish(response)
  }

  user(): U {
    return userOf(this.auth)
  }

  mcpAuth(): McpAuth {
    this.sessionUsed()
    return mcpAuthOf(this.request, this.#bearer)
  }

  requireScopes(scopes: readonly string[]): void {
    checkRequirement({ accept: ['bearer'], scopes })
    this.user()
    const held = this.#bearer?.scopes ?? scopes
    const lacking = scopes.find((scope) => !held.includes(scope))
    if (lacking === undefined) return
    const message = `The bearer token does not have the scope "${lacking}".`
    throw new AccessError('LATCHKEY_SCOPE_MISSING', message, { failed: 'scopes', scopes })
  }

  admit(
    requirement?: ByMember<Requirement<never, U>>,
    subject: unknown = this.request,
  ): MaybePromise<Answer | undefined> {
    // Before the hook `onError`, so that no cache keeps a response that the hook sends.
    this.sessionUsed()
    try {
      const refusal = authorize(this, requirement, subject)
      return refusal && this.#settle(refusal)
    } catch (error) {
      return this.answerError(error)
    }
  }

  async refusal(
    requirement: ByMember<Requirement<never, U>> = {},
    subject: unknown = this.request,
  ): Promise<Refusal | undefined> {
    return (await this.decide(requirement, subject)).refusal
  }

  decide(
    requirement: ByMember<Requirement<never, U>> = {},
    subject: unknown = this.request,
  ): Promise<Decision<U, Sent>> {
    this.sessionUsed()
    return decide(this, requirement as Requirement<never, never>, subject)
  }

  /** Sets the headers of a response of the kit. If the response fails, answers with the error. */
  async #settle(response: MaybePromise<AuthResponse | undefined>): Promise<Answer | undefined> {
    try {
      const settled = await response
      return settled && this.#write(settled)
    } catch (error) {
      return this.answerError(error)
    }
  }

  async answerError(error: unknown): Promise<Answer> {
    if (!(error instanceof LatchkeyError)) throw error
    this.sessionUsed()
    const options =
      error instanceof AccessError && error.scopes ? scopeChallenge(this, error) : undefined
    return this.#write(await this.context.answerError(error, this.request, options))
  }

  send(answer: Answer): Sent {
    const { response } = this.#parts
    return response.send ? response.send(answer) : (answer as Sent)
  }

  respond(response: AuthResponse): Sent {
    const answer = this.#write(response)
    const sent = this.send(answer)
    this.#answer = answer
    return sent
  }

  setCookies(cookies: readonly string[]): void {
    if (cookies.length === 0) return
    this.#early = cookies
    writeHeaders(this.#parts.response, [], cookies)
  }

  sessionChanged(): void {
    const { setCookies } = this.session
    // Some responses cannot be changed just before they are sent, for example the response of a
    // server action of Next.js.
    if (setCookies.length > 0 && !this.#parts.response.isSent) this.setCookies(setCookies)
  }

  /**
   * Continues with a session adopted from another kit. `removed` are the `Set-Cookie` lines that
   * remove its cookies.
   */
  adopted(removed: readonly string[]): void {
    if (removed.length === 0) return
    this.#removed = removed
    this.sessionUsed()
    const { response } = this.#parts
    if (!response.beforeSent) writeHeaders(response, [], this.#cookies)
  }

  async take(answer: Promise<AuthResponse>): Promise<this> {
    this.sessionUsed()
    this.#answer = await this.#settle(answer)
    return this
  }

  async publish(respond: (asked: RequestContext) => Promise<AuthResponse>): Promise<this> {
    this.#answer = await this.#settle(respond(this))
    return this
  }

  /**
   * Finds the provider for a session, and refreshes the user if that is due. Without a session,
   * tries a silent login if the option `silentLogin` is on and the response can set its cookies.
   */
  identify(): MaybePromise<this> {
    const { context, session, response } = this.#parts
    const { current } = session
    if (!current && context.options.silentLogin && !response.isSent) return this.#askSilently()
    const isDue = context.userRefresher.isDue(current)
    return !current || (this.#provider && !isDue) ? this : this.#askProvider(isDue)
  }

  async #askSilently(): Promise<this> {
    const begun = await beginSilentLogin(this)
    return begun ? this.take(Promise.resolve(begun)) : this
  }

  async #askProvider(isDue: boolean): Promise<this> {
    const { context, session } = this.#parts
    const provider = await this.provider()
    this.#provider = provider
    if (isDue && this.current) {
      await context.userRefresher.refreshDue(provider, session)
      // The response sets a session cookie, even if the application does not use the session.
      if (session.setCookies.length > 0) this.sessionUsed()
    }
    return this
  }

  get #cookies(): readonly string[] {
    const { setCookies } = this.session
    return this.#removed.length > 0 ? [...setCookies, ...this.#removed] : setCookies
  }

  #write({ headers, status, body, isAnswered, onward }: AuthResponse): Answer {
    writeHeaders(this.#parts.response, headers, this.#cookies)
    return { status, body, isAnswered, onward }
  }

  /**
   * Marks the response as private, and sets the session's cookies again, because error handlers may
   * have removed all headers, and another request may have ended the session.
   */
  #finish(headers: HeaderSink): void {
    markPrivate(headers)
    const cookies = this.#cookies
    if (this.#early) removeCookies(headers, this.#early)
    if (cookies.length > 0) writeHeaders(headers, [], cookies)
  }
}
