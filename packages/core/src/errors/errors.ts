import { type ConfigFault, reportOf } from '../shared/check-options.ts'

/** Every failure the kit can report. The codes are public API and keep their meaning. */
export type LatchkeyErrorCode =
  | 'LATCHKEY_CONFIG_INVALID' // an option is missing or wrong
  | 'LATCHKEY_ROUTER_NOT_MOUNTED' // a guard ran on a request that no router had prepared
  | 'LATCHKEY_SESSION_TWICE' // another middleware has put a session on the request already
  | 'LATCHKEY_REQUEST_INVALID' // a parameter is repeated, or the body cannot be read
  | 'LATCHKEY_HOST_UNKNOWN' // the request names a host that is in no base URL
  | 'LATCHKEY_METHOD_NOT_ALLOWED' // the route exists, under another method
  | 'LATCHKEY_FORM_GONE' // a kept form was sent, has expired, or is of another browser or user
  | 'LATCHKEY_PROVIDER_UNAVAILABLE' // the provider did not answer, or not in time
  | 'LATCHKEY_PROVIDER_INVALID' // the provider answered something that cannot be used
  | 'LATCHKEY_SESSION_UNAVAILABLE' // the session store did not answer
  | 'LATCHKEY_ANSWER_LATE' // a function of the application did not answer in time
  | 'LATCHKEY_SESSION_ENDED' // the session ended while the request was at work
  | 'LATCHKEY_LOGIN_LOOP' // a login ends and begins again, round in a circle
  | 'LATCHKEY_USER_REFUSED' // the application turned this user away
  | CookieSessionErrorCode
  | CallbackErrorCode
  | AccessErrorCode
  | RefreshErrorCode
  | LogoutErrorCode
  | WebhookErrorCode

/** The reason why a session in the cookie could not be written. */
export type CookieSessionErrorCode =
  | 'LATCHKEY_SESSION_TOO_LARGE' // it does not fit into cookies
  | 'LATCHKEY_SESSION_NOT_SENT' // the headers of the answer have left

/** Every way a callback can fail. Switch on it to choose what to tell the visitor. */
export type CallbackErrorCode =
  | 'LATCHKEY_TRANSACTION_MISSING' // no login was started in this browser, or it has expired
  | 'LATCHKEY_STATE_MISMATCH' // the response answers a login started elsewhere
  | 'LATCHKEY_ISSUER_MISMATCH' // the response, or its token, is from another provider
  | 'LATCHKEY_LOGIN_DENIED' // the provider answered with an error
  | 'LATCHKEY_CODE_REFUSED' // the provider did not redeem the code
  | 'LATCHKEY_TOKEN_INVALID' // the tokens did not pass validation
  | 'LATCHKEY_USERINFO_INVALID' // userinfo is about another user, or cannot be used
  | 'LATCHKEY_STEP_UP_FAILED' // the stronger login that was asked for did not take place

/** Why a guard did not let a request through. */
export type AccessErrorCode =
  | 'LATCHKEY_LOGIN_REQUIRED' // no user is logged in
  | 'LATCHKEY_STEP_UP_REQUIRED' // logged in, but not recently or not strongly enough
  | 'LATCHKEY_FORBIDDEN' // logged in, and not allowed
  | 'LATCHKEY_REQUEST_FORGED' // logged in, but another site sent the request
  | 'LATCHKEY_BEARER_INVALID' // the bearer token does not pass a check
  | 'LATCHKEY_SCOPE_MISSING' // the bearer token lacks a scope

/** Why no access token can be had. */
export type RefreshErrorCode =
  | 'LATCHKEY_REFRESH_UNAVAILABLE' // the provider could not be asked; trying later may succeed
  | 'LATCHKEY_REFRESH_REJECTED' // the provider ended the grant; the session has ended with it
  | 'LATCHKEY_TOKEN_ABSENT' // there is no valid access token and no refresh token

/** Why a logout was not carried out. */
export type LogoutErrorCode =
  | 'LATCHKEY_LOGOUT_FORGED' // the request does not come from this site
  | 'LATCHKEY_LOGOUT_TOKEN_INVALID' // a back-channel logout token did not pass validation

/** Why a webhook was not accepted. The service sends it again, except after 410. */
export type WebhookErrorCode =
  | 'LATCHKEY_WEBHOOK_INVALID' // a header is missing, or the body is no event
  | 'LATCHKEY_WEBHOOK_TIME_INVALID' // the timestamp is more than five minutes off
  | 'LATCHKEY_WEBHOOK_SIGNATURE_INVALID' // no signature was made with a secret of the handler
  | 'LATCHKEY_WEBHOOK_BODY_READ' // a body parser has read the body and kept no copy
  | 'LATCHKEY_WEBHOOK_BUSY' // the same event is being handled
  | 'LATCHKEY_WEBHOOK_FAILED' // the handler of the application threw an error

/** Options of an error, beside its code and message. */
export interface LatchkeyErrorOptions {
  /** The underlying error. */
  readonly cause?: unknown
  /** The HTTP status to answer with; each code has its own otherwise. */
  readonly status?: number
}

const STATUS: Readonly<Record<LatchkeyErrorCode, number>> = {
  LATCHKEY_CONFIG_INVALID: 500,
  LATCHKEY_ROUTER_NOT_MOUNTED: 500,
  LATCHKEY_SESSION_TWICE: 500,
  LATCHKEY_REQUEST_INVALID: 400,
  LATCHKEY_HOST_UNKNOWN: 421,
  LATCHKEY_METHOD_NOT_ALLOWED: 405,
  LATCHKEY_FORM_GONE: 410,
  LATCHKEY_PROVIDER_UNAVAILABLE: 503,
  LATCHKEY_PROVIDER_INVALID: 502,
  LATCHKEY_SESSION_UNAVAILABLE: 503,
  LATCHKEY_ANSWER_LATE: 503,
  LATCHKEY_SESSION_ENDED: 401,
  LATCHKEY_LOGIN_LOOP: 500,
  LATCHKEY_SESSION_TOO_LARGE: 500,
  LATCHKEY_SESSION_NOT_SENT: 500,
  LATCHKEY_TRANSACTION_MISSING: 400,
  LATCHKEY_STATE_MISMATCH: 400,
  LATCHKEY_ISSUER_MISMATCH: 400,
  LATCHKEY_LOGIN_DENIED: 403,
  LATCHKEY_CODE_REFUSED: 400,
  LATCHKEY_TOKEN_INVALID: 400,
  LATCHKEY_USERINFO_INVALID: 400,
  LATCHKEY_STEP_UP_FAILED: 403,
  LATCHKEY_USER_REFUSED: 403,
  LATCHKEY_LOGIN_REQUIRED: 401,
  LATCHKEY_STEP_UP_REQUIRED: 401,
  LATCHKEY_FORBIDDEN: 403,
  LATCHKEY_REQUEST_FORGED: 403,
  LATCHKEY_BEARER_INVALID: 401,
  LATCHKEY_SCOPE_MISSING: 403,
  LATCHKEY_REFRESH_UNAVAILABLE: 503,
  LATCHKEY_REFRESH_REJECTED: 401,
  LATCHKEY_TOKEN_ABSENT: 401,
  LATCHKEY_LOGOUT_FORGED: 403,
  LATCHKEY_LOGOUT_TOKEN_INVALID: 400,
  LATCHKEY_WEBHOOK_INVALID: 400,
  LATCHKEY_WEBHOOK_TIME_INVALID: 400,
  LATCHKEY_WEBHOOK_SIGNATURE_INVALID: 401,
  LATCHKEY_WEBHOOK_BODY_READ: 500,
  LATCHKEY_WEBHOOK_BUSY: 503,
  LATCHKEY_WEBHOOK_FAILED: 500,
}

/** Every code, such as `LATCHKEY_FORBIDDEN`. */
export const ERROR_CODES = Object.keys(STATUS) as readonly LatchkeyErrorCode[]

/**
 * The root of every error of the kit.
 *
 * `message` names the value that was found, the expected one and the remedy. It contains no secret,
 * token or code, and is meant for the application's operator; visitors see another text.
 */
export class LatchkeyError extends Error {
  override readonly name: string = 'LatchkeyError'
  /** The kind of error, stable across releases. */
  readonly code: LatchkeyErrorCode
  /** The HTTP status to answer with. */
  readonly status: number
  /** Whether `message` may be shown to a visitor: true below 500, as `http-errors` has it. */
  readonly expose: boolean
  /** Whether the same request may succeed later without anybody changing anything. */
  readonly retryable: boolean
  /** Identifies this occurrence on the page a visitor sees and in the log. */
  readonly correlationId: string

  constructor(code: LatchkeyErrorCode, message: string, options: LatchkeyErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.status = options.status ?? STATUS[code]
    this.expose = this.status < 500
    this.retryable = this.status === 503
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

  /** @param message - A more precise message, if the store knows the cause. */
  constructor(
    cause: unknown,
    message = 'The session store did not answer; is it running and reachable?',
  ) {
    super('LATCHKEY_SESSION_UNAVAILABLE', message, cause === undefined ? {} : { cause })
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

  constructor(code: AccessErrorCode, message: string, options: AccessErrorOptions = {}) {
    super(code, message, options)
    this.failed = options.failed
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
