import type { RequestContext } from '../context.ts'
import { LatchkeyError } from '../errors/errors.ts'
import type { AnswerError } from '../http/answer-error.ts'
import { titleOf } from '../http/error-response.ts'
import { authorize, type GuardedRequest } from './guard.ts'
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

/**
 * Decides as {@link authorize} does for a program, but returns the refusal as a value. The hook
 * `onError` is not called, because it answers with a response.
 *
 * @returns `undefined` if the request may pass; otherwise the refusal.
 */
export async function refusalOf(
  asked: GuardedRequest,
  requirement: Requirement<never, never>,
  subject: unknown,
): Promise<Refusal | undefined> {
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
  try {
    const context = { ...asked.context, answerError }
    await authorize(new AskedIn(asked, context), { ...requirement, respond: 'json' }, subject)
    return undefined
  } catch (error) {
    if (!(error instanceof LatchkeyError)) throw error
    note(error)
    return { error, title: titleOf(error), loginUrl }
  }
}

/**
 * A request with another context, so that errors are answered in another way. All else is taken
 * from the original request.
 */
class AskedIn implements GuardedRequest {
  readonly context: RequestContext['context']
  readonly #asked: GuardedRequest

  constructor(asked: GuardedRequest, context: RequestContext['context']) {
    this.#asked = asked
    this.context = context
  }

  get request(): RequestContext['request'] {
    return this.#asked.request
  }

  get session(): RequestContext['session'] {
    return this.#asked.session
  }

  get current(): GuardedRequest['current'] {
    return this.#asked.current
  }

  get bearer(): GuardedRequest['bearer'] {
    return this.#asked.bearer
  }

  set bearer(login: GuardedRequest['bearer']) {
    this.#asked.bearer = login
  }

  provider(): ReturnType<RequestContext['provider']> {
    return this.#asked.provider()
  }
}
