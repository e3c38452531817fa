import { type Reason, reason, sentenceIn } from './reasons/index.ts'

/** For code that depends on the domain, and not on the work in the background. */
export { BrokenOff } from '../../background/index.ts'

/**
 * The codes of errors, with their HTTP status. They are public API: a code keeps its meaning and
 * its status.
 */
export const statusOfCode = {
  invalid_json: 400,
  invalid_request: 400,
  invalid_metadata: 400,
  invalid_url: 400,
  invalid_email: 400,
  invalid_hash: 400,
  unsupported_algorithm: 400,
  bcrypt_cost_out_of_range: 400,
  password_policy: 400,
  authentication_failure: 401,
  not_permitted: 403,
  not_found: 404,
  method_not_allowed: 405,
  already_exists: 409,
  conflict: 409,
  place_gone: 410,
  request_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  tenant_configuration_error: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof statusOfCode

/**
 * A refused call. The message is in English, and says what is wrong and how to fix it. The caller
 * sees the message, so it contains no secret.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  readonly statusCode: number
  /**
   * The reason, for showing the message in other languages; `undefined` if the message exists only
   * in English.
   */
  readonly reason: Reason | undefined
  /** Seconds to wait before a retry, for `rate_limited` and `unavailable`. */
  readonly retryAfterSeconds: number | undefined
  /** The oldest `after` from which events can be read, for `place_gone`. */
  readonly oldestPlace: number | undefined
  /** Whether the call may have written although it failed, for `unavailable`. */
  readonly isOutcomeUnknown: boolean

  constructor(
    code: ErrorCode,
    because: Reason | string,
    options: ErrorOptions & {
      retryAfterSeconds?: number
      oldestPlace?: number
      isOutcomeUnknown?: boolean
    } = {},
  ) {
    const isSentence = typeof because === 'string'
    super(isSentence ? because : sentenceIn('en', because), options)
    this.code = code
    this.reason = isSentence ? undefined : because
    this.statusCode = statusOfCode[code]
    this.retryAfterSeconds = options.retryAfterSeconds
    this.oldestPlace = options.oldestPlace
    this.isOutcomeUnknown = options.isOutcomeUnknown ?? false
  }
}

/**
 * Returns an error that is a refusal: a `ServiceError` with a 4xx status.
 *
 * @throws The error itself, if it is any other error.
 */
export function refusalIn(error: unknown): ServiceError {
  if (error instanceof ServiceError && error.statusCode < 500) return error
  throw error
}

/**
 * The error for an object that is missing, deleted, unknown or out of the caller's reach. The error
 * is the same, so that the caller cannot tell these cases apart.
 */
export function notFound(): ServiceError {
  return new ServiceError('not_found', reason('not_found'))
}

/**
 * Returns the record.
 *
 * @throws ServiceError `not_found` if the record is `undefined`.
 */
export function found<T>(record: T | undefined): T {
  if (record === undefined) throw notFound()
  return record
}

const existing: Readonly<Record<string, Reason>> = {
  connection: reason('connection_name_taken'),
  tenant: reason('tenant_domain_taken'),
  user: reason('email_taken'),
  credential: reason('password_exists'),
}

/**
 * The error for a second object where only one can exist. `action` is the write, such as
 * `user.create`.
 */
export function alreadyExists(action: string): ServiceError {
  const known = existing[action.split('.')[0] ?? '']
  return new ServiceError('already_exists', known ?? reason('exists_already'))
}
