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
  /** The HTTP status of the response. Default: the status of the code. */
  readonly status?: number
  /** How to fix this cause. Default: the remedy of the code. */
  readonly remedy?: string
}

/**
 * The root of every error of the kit.
 *
 * `message` names the value that was found and the expected one. It contains no secret, token or
 * code. It is for the application's operator; visitors see another text.
 */
export class LatchkeyError extends Error {
  override readonly name: string = 'LatchkeyError'
  /** The kind of error, stable across releases. */
  readonly code: LatchkeyErrorCode
  /** The HTTP status of the response. */
  readonly status: number
  /**
   * Whether `message` may be shown to a visitor: true if `status` is below 500, as in
   * `http-errors`.
   */
  readonly expose: boolean
  /**
   * Whether the same request may succeed later without a change of settings or code: true for 503.
   */
  readonly retryable: boolean
  /** How to fix the cause. Logs and the error page of development show it. */
  readonly remedy: string
  /** A random UUID of this error. The page that the visitor sees and the log line both show it. */
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

/** Options are missing or wrong. All faults are listed, so you can fix them together. */
export class ConfigError extends LatchkeyError {
  override readonly name = 'ConfigError'
  /** The faults, in the order in which they were found. */
  readonly faults: readonly ConfigFault[]

  constructor(faults: readonly ConfigFault[], heading = 'Latchkey cannot start:') {
    super('LATCHKEY_CONFIG_INVALID', reportOf(heading, faults))
    this.faults = faults
  }
}

/** The request is malformed, or for a host that `baseUrl` does not name. */
export class RequestError extends LatchkeyError {
  override readonly name = 'RequestError'
}

/** The provider could not be reached, or cannot be used as it is. */
export class ProviderError extends LatchkeyError {
  override readonly name = 'ProviderError'
}

/**
 * The session store failed. Whether a user is logged in is unknown, so no request is let through.
 */
export class SessionStoreError extends LatchkeyError {
  override readonly name = 'SessionStoreError'
  /** Headers that Express sends with the error response. */
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

/** The session ended while a request was using it, here or at the provider. Nothing was stored. */
export class SessionEndedError extends LatchkeyError {
  override readonly name = 'SessionEndedError'

  constructor(message = 'The session ended while the request was at work, so nothing was stored.') {
    super('LATCHKEY_SESSION_ENDED', message)
  }
}

/**
 * A session in a cookie (`session: { store: 'cookie' }`) could not be written. The session is
 * unchanged.
 */
export class CookieSessionError extends LatchkeyError {
  override readonly name = 'CookieSessionError'
  declare readonly code: CookieSessionErrorCode
}

/** Options of a {@link CallbackError}, beside its code and message. */
export interface CallbackErrorOptions extends LatchkeyErrorOptions {
  /** The `error` parameter that the provider sent. */
  readonly providerError?: string | undefined
}

/**
 * The visitor came back from the provider, but the login failed.
 *
 * Start a new login: the transaction is single use, so the same callback cannot succeed.
 */
export class CallbackError extends LatchkeyError {
  override readonly name = 'CallbackError'
  declare readonly code: CallbackErrorCode
  /** The `error` parameter that the provider sent, if any (RFC 6749 §4.1.2.1, §5.2). */
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
  /** The scopes that the operation needs, if the code is `LATCHKEY_SCOPE_MISSING`. */
  readonly scopes?: readonly string[] | undefined
}

/** A guard refused the request. */
export class AccessError extends LatchkeyError {
  override readonly name = 'AccessError'
  declare readonly code: AccessErrorCode
  /**
   * The requirement that was not met: `roles`, `claims.department`, `check`, `acr`, `maxAge`,
   * `scopes` or `actor`. `origin` if another site sent the request; a name such as `token.exp` if a
   * bearer token failed a check; `accept` if the guard accepts no bearer token but the request has
   * one. `undefined` for any other request without a user.
   */
  readonly failed: string | undefined
  /** The scopes that the operation needs. The response names them in `WWW-Authenticate`. */
  readonly scopes: readonly string[] | undefined

  constructor(code: AccessErrorCode, message: string, options: AccessErrorOptions = {}) {
    super(code, message, options)
    this.failed = options.failed
    this.scopes = options.scopes
  }
}

/** There is no access token for this session, and none could be obtained. */
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

/** Refuses a user. Throw this error in the hook `afterCallback` or in the `check` of a guard. */
export class DeniedError extends LatchkeyError {
  override readonly name = 'DeniedError'
  /**
   * The reason in the application's words. The log and the hook `onError` get it; visitors do not
   * see it.
   */
  readonly reason: string

  constructor(reason: string) {
    super('LATCHKEY_USER_REFUSED', 'The application turned this user away.')
    this.reason = reason
  }
}
