import { type ConfigFault, reportOf } from '../shared/check-options.ts'
import {
  type AccessErrorCode,
  type CallbackErrorCode,
  CODES,
  type CookieSessionErrorCode,
  type LatchkeyErrorCode,
  type LogoutErrorCode,
  type RefreshErrorCode,
  type WebhookErrorCode,
} from './codes.ts'

/** Options of an error, beside its code and message. */
export interface LatchkeyErrorOptions {
  /** The underlying error. */
  readonly cause?: unknown
  /** The HTTP status to answer with; each code has its own otherwise. */
  readonly status?: number
  /** The remedy of this cause, if it is known; the code has one for all of its causes otherwise. */
  readonly remedy?: string
}

/**
 * The root of every error of the kit.
 *
 * `message` names the value that was found and the expected one. It contains no secret, token or code,
 * and is meant for the application's operator; visitors see another text.
 */
export class LatchkeyError extends Error {
  override readonly name: string = 'LatchkeyError'
  /** The kind of error, stable across releases. */
  readonly code: LatchkeyErrorCode
  /** The HTTP status to answer with. */
  readonly status: number
  /** Whether `message` may be shown to a visitor: true below 500, as `http-errors` has it. */
  readonly expose: boolean
  /** Whether the same request may succeed later without a change of settings or code. */
  readonly retryable: boolean
  /** The instruction that removes the cause. Logs and the error page of development show it. */
  readonly remedy: string
  /** Identifies this occurrence on the page a visitor sees and in the log. */
  readonly correlationId: string

  constructor(code: LatchkeyErrorCode, message: string, options: LatchkeyErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.status = options.status ?? CODES[code].status
    this.expose = this.status < 500
    this.retryable = this.status === 503
    this.remedy = options.remedy ?? CODES[code].remedy
    this.correlationId = globalThis.crypto.randomUUID()
  }
}

/** The options cannot be used. Every fault found is listed, so you can fix them all at once. */
export class ConfigError extends LatchkeyError {
  override readonly name = 'ConfigError'
  /** The faults, in the order in which they were found. */
  readonly faults: readonly ConfigFault[]

  constructor(faults: readonly ConfigFault[], heading = 'Latchkey cannot start:') {
    super('LATCHKEY_CONFIG_INVALID', reportOf(heading, faults))
    this.faults = faults
  }
}

/** The request cannot be understood. */
export class RequestError extends LatchkeyError {
  override readonly name = 'RequestError'
}

/** The provider could not be reached, or cannot be used as it is. */
export class ProviderError extends LatchkeyError {
  override readonly name = 'ProviderError'
}

/** The session store failed. Whether a user is logged in is unknown, so no request is let through. */
export class SessionStoreError extends LatchkeyError {
  override readonly name = 'SessionStoreError'
  /** Express sends these with the answer to an error. */
  readonly headers = { 'retry-after': '5' }

  /**
   * @param message - A more precise message, if the store knows the cause.
   * @param remedy - The remedy of that cause.
   */
  constructor(cause: unknown, message = 'The session store did not answer.', remedy?: string) {
    super('LATCHKEY_SESSION_UNAVAILABLE', message, {
      ...(cause === undefined ? {} : { cause }),
      ...(remedy === undefined ? {} : { remedy }),
    })
  }
}

/** The session ended, here or at the provider, while a request was at work: nothing was stored. */
export class SessionEndedError extends LatchkeyError {
  override readonly name = 'SessionEndedError'

  constructor(message = 'The session ended while the request was at work, so nothing was stored.') {
    super('LATCHKEY_SESSION_ENDED', message)
  }
}

/**
 * A session in the cookie (`session: { store: 'cookie' }`) could not be written; it is unchanged.
 */
export class CookieSessionError extends LatchkeyError {
  override readonly name = 'CookieSessionError'
  declare readonly code: CookieSessionErrorCode
}

/** Options of a {@link CallbackError}, beside its code and message. */
export interface CallbackErrorOptions extends LatchkeyErrorOptions {
  /** The provider's own `error` parameter. */
  readonly providerError?: string | undefined
}

/**
 * The visitor came back from the provider, but the login cannot be completed.
 *
 * The transaction is spent, so answer with a fresh login; retrying the same callback cannot succeed.
 */
export class CallbackError extends LatchkeyError {
  override readonly name = 'CallbackError'
  declare readonly code: CallbackErrorCode
  /** The provider's own `error` parameter, if it sent one (RFC 6749 §4.1.2.1, §5.2). */
  readonly providerError: string | undefined

  constructor(code: CallbackErrorCode, message: string, options: CallbackErrorOptions = {}) {
    super(code, message, options)
    this.providerError = options.providerError
  }
}

/** The options of an {@link AccessError}. */
export interface AccessErrorOptions extends LatchkeyErrorOptions {
  /** The requirement that was not met. */
  readonly failed?: string | undefined
  /** The scopes that the operation needs, where the code is `LATCHKEY_SCOPE_MISSING`. */
  readonly scopes?: readonly string[] | undefined
}

/** A guard did not let the request through. */
export class AccessError extends LatchkeyError {
  override readonly name = 'AccessError'
  declare readonly code: AccessErrorCode
  /**
   * The requirement that was not met: `roles`, `claims.department`, `check`, `acr`, `maxAge`, `scopes`,
   * `origin` when another site sent the request, or the check that a bearer token did not pass, such as
   * `token.exp`; `undefined` when no user is logged in.
   */
  readonly failed: string | undefined
  /** The scopes that the operation needs; the answer names them in `WWW-Authenticate`. */
  readonly scopes: readonly string[] | undefined

  constructor(code: AccessErrorCode, message: string, options: AccessErrorOptions = {}) {
    super(code, message, options)
    this.failed = options.failed
    this.scopes = options.scopes
  }
}

/** No access token can be had for this session. */
export class RefreshError extends LatchkeyError {
  override readonly name = 'RefreshError'
  declare readonly code: RefreshErrorCode
}

/** A logout was refused. */
export class LogoutError extends LatchkeyError {
  override readonly name = 'LogoutError'
  declare readonly code: LogoutErrorCode
}

/** A webhook was not accepted. */
export class WebhookError extends LatchkeyError {
  override readonly name = 'WebhookError'
  declare readonly code: WebhookErrorCode
}

/** Thrown by an application, in `afterCallback` or a check, to turn a user away. */
export class DeniedError extends LatchkeyError {
  override readonly name = 'DeniedError'
  /** Why, in the application's own words; for its log and its `onError`, not for the page. */
  readonly reason: string

  constructor(reason: string) {
    super('LATCHKEY_USER_REFUSED', 'The application turned this user away.')
    this.reason = reason
  }
}
