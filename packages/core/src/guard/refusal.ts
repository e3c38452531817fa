import type { RequestContext } from '../context.ts'
import { LatchkeyError } from '../errors/errors.ts'
import type { AnswerError } from '../http/answer-error.ts'
import { titleOf } from '../http/error-response.ts'
import type { AuthResponse } from '../http/request.ts'
import { authorize, type GuardedRequest } from './guard.ts'
import { type RequestAuth, type RequestAuthSource, requestAuthOf, userOf } from './request-auth.ts'
import type { Requirement } from './requirement.ts'

/**
 * A refusal of a guard for GraphQL and messages of a WebSocket, which have no HTTP response of
 * their own.
 */
export interface Refusal {
  readonly error: LatchkeyError
  /** A text for the client, in English. */
  readonly title: string
  /** The path that starts the login, if a login would help. */
  readonly loginUrl: string | undefined
}

/** The user whom a guard of GraphQL or of a WebSocket has let in. */
export interface Admission<U, Sent> {
  readonly refusal?: undefined
  /**
   * The user as this guard has decided. A guard that decides at the same time may have let in
   * another one, by the session or by the bearer token.
   */
  readonly auth: RequestAuth<U, Sent>
  /**
   * The user of `auth`.
   *
   * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` when the session has ended since.
   */
  user(): U
}

/** The decision of a guard that has no HTTP response of its own. */
export type Decision<U, Sent> = { readonly refusal: Refusal } | Admission<U, Sent>

/**
 * Decides as {@link authorize} does for a program, but returns the refusal as a value. The hook
 * `onError` is not called, because it answers with a response.
 *
 * Guards of one request may decide at the same time, so each has its own bearer token. Only an
 * admission changes the user of the request, and none replaces a token that was accepted meanwhile
 * by the session.
 */
export async function decide<U, Sent>(
  asked: RequestAuthSource<Sent>,
  requirement: Requirement<never, never>,
  subject: unknown,
): Promise<Decision<U, Sent>> {
  let loginUrl: string | undefined
  const { log, observe } = asked.context
  const note = (error: LatchkeyError): void => {
    log.failed(error)
    observe?.(asked.request, { kind: 'failed', error })
  }
  const answerError: AnswerError = async (error, _request, options) => {
    loginUrl = options?.loginUrl
    throw error
  }
  const before = asked.bearer
  try {
    const deciding = new AskedIn(asked, { ...asked.context, answerError })
    await authorize(deciding, { ...requirement, respond: 'json' }, subject)
    const { bearer } = deciding
    if (bearer || asked.bearer === before) asked.bearer = bearer
    const auth = requestAuthOf<U, Sent>(new AskedIn(asked, asked.context, bearer))
    return { auth, user: () => userOf(auth) }
  } catch (error) {
    if (!(error instanceof LatchkeyError)) throw error
    note(error)
    return { refusal: { error, title: titleOf(error), loginUrl } }
  }
}

/**
 * A request with another context, so that errors are answered in another way, and with its own
 * bearer token. All else is taken from the original request.
 */
class AskedIn<Sent> implements RequestAuthSource<Sent> {
  readonly context: RequestContext['context']
  bearer: GuardedRequest['bearer']
  readonly #asked: RequestAuthSource<Sent>

  constructor(
    asked: RequestAuthSource<Sent>,
    context: RequestContext['context'],
    bearer?: GuardedRequest['bearer'],
  ) {
    this.#asked = asked
    this.context = context
    this.bearer = bearer
  }

  get request(): RequestContext['request'] {
    return this.#asked.request
  }

  get session(): RequestContext['session'] {
    return this.#asked.session
  }

  get current(): GuardedRequest['current'] {
    return this.bearer ? this.bearer.login : this.ofSession
  }

  get ofSession(): GuardedRequest['ofSession'] {
    return this.#asked.ofSession
  }

  provider(): ReturnType<RequestContext['provider']> {
    return this.#asked.provider()
  }

  sessionUsed(): void {
    this.#asked.sessionUsed()
  }

  setCookies(cookies: readonly string[]): void {
    this.#asked.setCookies(cookies)
  }

  sessionChanged(): void {
    this.#asked.sessionChanged()
  }

  respond(response: AuthResponse): Sent {
    return this.#asked.respond(response)
  }
}
