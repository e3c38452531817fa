import { LatchkeyError } from '../errors/errors.ts'
import type { Log } from '../log/log.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import { recorderPath } from './development.ts'
import { type ErrorResponseOptions, errorResponse } from './error-response.ts'
import type { Observe } from './observation.ts'
import { type AuthRequest, type AuthResponse, pathOf } from './request.ts'

/** Answers an error with the response of the hook `onError`, or else with {@link errorResponse}. */
export type AnswerError = (
  error: LatchkeyError,
  request: AuthRequest,
  options?: ErrorResponseOptions,
) => Promise<AuthResponse>

/** Makes the function that logs and answers the errors of one instance. */
export function createAnswerError(
  { hooks, routes, developmentKey, baseUrl, languages }: ResolvedAuthOptions,
  log: Log,
  observe: Observe | undefined,
): AnswerError {
  const recorder = developmentKey === undefined ? undefined : recorderPath(baseUrl)
  /**
   * The response of the hook `onError`; `undefined` if there is no hook, or if it returns nothing
   * or does not answer in time.
   */
  const ownAnswer = async (error: LatchkeyError, request: AuthRequest) => {
    try {
      return await hooks.onError?.(error, request, request.exchange)
    } catch (failure) {
      if (!isLate(failure)) throw failure
      log.failed(failure)
      return undefined
    }
  }
  return async (error, request, options = { loginUrl: routes.login }) => {
    log.failed(error)
    observe?.(request, { kind: 'failed', error })
    const own = await ownAnswer(error, request)
    if (own === 'answered') return { status: error.status, headers: [], isAnswered: true }
    if (own) return fromResponse(own)
    const path = pathOf(request.url)
    const isLogin = path === routes.login || path === routes.callback
    const isHome = path === baseUrl.pathname || error.code === 'LATCHKEY_HOST_UNKNOWN'
    const homeUrl = isHome ? undefined : baseUrl.pathname
    return errorResponse(error, request, languages, { ...options, homeUrl, recorder, isLogin })
  }
}

function isLate(failure: unknown): failure is LatchkeyError {
  return failure instanceof LatchkeyError && failure.code === 'LATCHKEY_ANSWER_LATE'
}

async function fromResponse(response: Response): Promise<AuthResponse> {
  const body = new Uint8Array(await response.arrayBuffer())
  return { status: response.status, headers: [...response.headers], body }
}
