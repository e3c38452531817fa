import { ApiError, apiError, ConnectionError, ResponseError } from './errors.ts'
import type { FetchResponse, ResolvedOptions } from './options.ts'
import { pause } from './pause.ts'

/** A JSON object of the API, as received. */
export type Json = Record<string, unknown>

export interface Answer {
  body: Json
  /** The value of the `Link` header. */
  link: string | undefined
  /** The value of the `Date` header: the time of the service, in whole seconds. */
  date: string | undefined
}

export interface RequestInput {
  method: 'GET' | 'POST' | 'DELETE'
  /** The path below `baseUrl`, percent-encoded: `/v1/…` or `/x/v1/…`. */
  path: string
  body?: object | undefined
  /**
   * Whether the request may be retried if the outcome of an attempt is unknown. Otherwise, and
   * without `recover`, it is retried only after a response that shows that the service did nothing.
   */
  isRepeatable: boolean
  /**
   * Called before a retry if the outcome of the last attempt is unknown. If it resolves to an
   * object, that object is the response and nothing is sent again.
   */
  recover?: (() => Promise<Json | undefined>) | undefined
  /** Ends the request and its retries when aborted. The promise is then rejected with the reason. */
  signal?: AbortSignal | undefined
}

export type Send = (input: RequestInput) => Promise<Answer>

const LONGEST_PAUSE_SECONDS = 30

/**
 * Creates the function that sends requests and retries them, at most `retries` times:
 *
 * - after 429, and after 503 with an Error object, because the service did nothing;
 * - after a lost connection, a timeout, 503 with `latchkey-outcome: unknown`, or 502, 503 and 504
 *   from a gateway, only if the request is repeatable or has `recover`.
 *
 * Each pause is the response's `retry-after` plus a random time, and never longer than 30 s. The
 * random time is at most `backoffSeconds` before the first retry; this maximum doubles with each
 * retry.
 */
export function createSend(options: ResolvedOptions): Send {
  return async (input) => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await sendOnce(options, input)
      } catch (error) {
        input.signal?.throwIfAborted()
        const isUnknown = isOutcomeUnknown(error)
        const mayRepeat = isUnknown
          ? input.isRepeatable || input.recover !== undefined
          : isNotCarriedOut(error)
        if (!mayRepeat || attempt >= options.retries) throw error

        await pause(secondsAfter(options, attempt, error), input.signal)
        if (isUnknown && input.recover) {
          const found = await input.recover()
          if (found) return { body: found, link: undefined, date: undefined }
        }
      }
    }
  }
}

/** Whether the request may have been carried out in spite of the error. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && error.isOutcomeUnknown)
}

function isNotCarriedOut(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 429 || error.status === 503)
}

async function sendOnce(
  { baseUrl, apiKey, fetch, timeoutSeconds }: ResolvedOptions,
  { method, path, body, signal }: RequestInput,
): Promise<Answer> {
  const request = `${method} ${path}`
  let response: FetchResponse
  let text: string
  const timeout = AbortSignal.timeout(timeoutSeconds * 1_000)
  try {
    response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body ? JSON.stringify(body) : null,
      // A redirect could send the key to another server.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    })
    text = await response.text()
  } catch (cause) {
    throw connectionError(request, cause, timeoutSeconds)
  }
  const json = parse(text)
  if (!response.ok) throw refusalOf(request, response, json)
  if (!json) {
    throw new ResponseError(
      'LATCHKEY_RESPONSE_INVALID',
      `${request} was answered with ${response.status}, but not with a JSON object; is the base address right?`,
    )
  }
  const { headers } = response
  return {
    body: json,
    link: headers.get('link') ?? undefined,
    date: headers.get('date') ?? undefined,
  }
}

function connectionError(request: string, cause: unknown, seconds: number): ConnectionError {
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    return new ConnectionError('LATCHKEY_TIMEOUT', `${request}: no answer within ${seconds} s`)
  }
  const inner = cause instanceof Error ? (cause.cause ?? cause) : cause
  const reason =
    inner instanceof Error ? ((inner as NodeJS.ErrnoException).code ?? inner.message) : ''
  return new ConnectionError(
    'LATCHKEY_CONNECTION_FAILED',
    `${request}: no answer, the connection failed (${reason})`,
    { cause },
  )
}

function refusalOf(request: string, response: FetchResponse, json: Json | undefined): ApiError {
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  const isError = json !== undefined && text(json.code) !== ''
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const oldest = Number(response.headers.get('latchkey-oldest-place') ?? Number.NaN)
  // Only errors of the service have a code. A gateway may send 503 even for a request that it has
  // forwarded.
  const isOfGateway = !isError && [502, 503, 504].includes(response.status)
  return apiError(request, {
    isOutcomeUnknown: isOfGateway || response.headers.get('latchkey-outcome') === 'unknown',
    code: isError ? text(json.code) : 'unknown',
    status: response.status,
    uuid: text(json?.uuid) || (response.headers.get('request-id') ?? ''),
    detail: response.headers.get('latchkey-error-detail') ?? '',
    oldestPlace: Number.isSafeInteger(oldest) ? oldest : undefined,
    retryAfterSeconds: Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined,
  })
}

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Json) : undefined
  } catch {
    return undefined
  }
}

/** The pause before the next attempt, in seconds. */
function secondsAfter(
  { backoffSeconds }: ResolvedOptions,
  attempt: number,
  error: unknown,
): number {
  const asked = error instanceof ApiError ? error.retryAfterSeconds : undefined
  const jitter = Math.random() * backoffSeconds * 2 ** attempt
  return Math.min((asked ?? 0) + jitter, LONGEST_PAUSE_SECONDS)
}
