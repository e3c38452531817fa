/** The base class of every error of this package. `code` is public API and keeps its meaning. */
export class ManagementError extends Error {
  override readonly name: string = 'ManagementError'
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The details of a request that the service refused. */
export interface Refusal {
  /** The `code` of the Error object, such as `not_found`; `unknown` if the response had none. */
  code: string
  status: number
  /** The id of the request, for support; empty if the response had none. */
  uuid: string
  /** A sentence for people; empty if the response had none. */
  detail: string
  /** Seconds after which to try again, if the response says so. */
  retryAfterSeconds: number | undefined
  /** The smallest `after` from which events can be read, if the response says so. */
  oldestPlace?: number | undefined
  /** Whether the request may have been carried out nevertheless. */
  isOutcomeUnknown: boolean
}

/** The service refused a request or failed. Each kind of HTTP status has a subclass. */
export class ApiError extends ManagementError {
  override readonly name: string = 'ApiError'
  readonly status: number
  readonly uuid: string
  readonly detail: string
  readonly retryAfterSeconds: number | undefined
  /**
   * Whether the request may have been carried out nevertheless: the service has lost the connection
   * to its data, or a gateway that to the service.
   */
  readonly isOutcomeUnknown: boolean

  constructor(request: string, refusal: Refusal) {
    const { code, status, uuid, detail } = refusal
    const id = uuid && `; request ${uuid}`
    super(code, `${request}: ${detail || 'refused'} (${status} ${code}${id})`)
    this.status = status
    this.uuid = uuid
    this.detail = detail
    this.retryAfterSeconds = refusal.retryAfterSeconds
    this.isOutcomeUnknown = refusal.isOutcomeUnknown
  }
}

/** 401: the API key is missing, unknown, revoked or expired. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
}

/** 404: the object does not exist, or the API key has no access to it. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/**
 * 409: an object with this name exists already, or another client has changed the object meanwhile.
 */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError'
}

/**
 * 410: some events after the requested `after` no longer exist. They were pruned, or the data was
 * restored from a backup. Read the objects again, then the events after {@link
 * PlaceGoneError.oldestPlace}.
 */
export class PlaceGoneError extends ApiError {
  override readonly name = 'PlaceGoneError'
  /** The smallest `after` with which no event is missing. */
  readonly oldestPlace: number

  constructor(request: string, refusal: Refusal) {
    super(request, refusal)
    this.oldestPlace = refusal.oldestPlace ?? 0
  }
}

/** 429: too many requests, even after all retries. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
}

/** Any other 4xx: the request is wrong, so the same request cannot succeed later. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError'
}

/** 5xx or an unexpected redirect: the service, the tenant's configuration or a proxy has failed. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError'
}

/** The reason why no response arrived. */
export type ConnectionErrorCode =
  | 'LATCHKEY_CONNECTION_FAILED' // the server could not be reached, or the connection broke
  | 'LATCHKEY_TIMEOUT' // no response within `timeoutSeconds`

/** No response arrived. It is unknown whether the request was carried out. */
export class ConnectionError extends ManagementError {
  override readonly name = 'ConnectionError'
  declare readonly code: ConnectionErrorCode
}

/** The response is not from this API, such as an HTML page, or a list ends before its `total`. */
export class ResponseError extends ManagementError {
  override readonly name = 'ResponseError'
  declare readonly code: 'LATCHKEY_RESPONSE_INVALID' | 'LATCHKEY_LIST_INCOMPLETE'
}

/** An option of the client is missing or malformed. */
export class OptionsError extends ManagementError {
  override readonly name = 'OptionsError'
  declare readonly code: 'LATCHKEY_OPTIONS_INVALID'

  constructor(message: string) {
    super('LATCHKEY_OPTIONS_INVALID', message)
  }
}

/**
 * Whether a request was refused because of the API key or login, such as a read-only key or a login
 * that is too old. The refusal of a proxy has no code, and may be about the content of a request.
 */
export function isAboutCaller(error: ApiError): boolean {
  return error.code === 'not_permitted'
}

/** Creates the error whose class matches the HTTP status of the refusal. */
export function apiError(request: string, refusal: Refusal): ApiError {
  switch (refusal.status) {
    case 401:
      return new AuthenticationError(request, refusal)
    case 404:
      return new NotFoundError(request, refusal)
    case 409:
      return new ConflictError(request, refusal)
    case 410:
      return new PlaceGoneError(request, refusal)
    case 429:
      return new RateLimitError(request, refusal)
  }
  const isServer = refusal.status >= 500 || refusal.status < 400
  return new (isServer ? ServerError : InvalidRequestError)(request, refusal)
}
