/** The base of every error of this package: `code` is part of the API and keeps its meaning. */
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
  /** The `code` of the Error object, such as `not_found`; `unknown` when there was no such object. */
  code: string
  status: number
  /** Identifies the request towards support; empty when the answer named none. */
  uuid: string
  /** A sentence for people, when the server sends one; empty otherwise. */
  detail: string
  /** Seconds after which to try again, when the server says so. */
  retryAfterSeconds: number | undefined
  /** The oldest place from which events can be read, when the server says so. */
  oldestPlace?: number | undefined
}

/** The service refused a request, or failed at it. The subclasses say which of both, by status. */
export class ApiError extends ManagementError {
  override readonly name: string = 'ApiError'
  readonly status: number
  readonly uuid: string
  readonly detail: string
  readonly retryAfterSeconds: number | undefined

  constructor(request: string, refusal: Refusal) {
    const { code, status, uuid, detail } = refusal
    const id = uuid && `; request ${uuid}`
    super(code, `${request}: ${detail || 'refused'} (${status} ${code}${id})`)
    this.status = status
    this.uuid = uuid
    this.detail = detail
    this.retryAfterSeconds = refusal.retryAfterSeconds
  }
}

/** 401: the API key is missing, unknown, revoked or expired. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
}

/** 404: there is no such object, or it is out of the key's reach. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/** 409: something with this name is there already, or the copy is out of date. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError'
}

/**
 * 410: events after the place that was asked for are gone, as they were pruned or the data was restored from a backup.
 * Read the objects again, then the events after {@link PlaceGoneError.oldestPlace}.
 */
export class PlaceGoneError extends ApiError {
  override readonly name = 'PlaceGoneError'
  /** The `after` from which on no event is missing. */
  readonly oldestPlace: number

  constructor(request: string, refusal: Refusal) {
    super(request, refusal)
    this.oldestPlace = refusal.oldestPlace ?? 0
  }
}

/** 429: too many requests, also after all retries. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
}

/** Any other 4xx: the request has a fault, and repeating it cannot help. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError'
}

/** 5xx: the fault is in the service, in the tenant's configuration, or between here and there. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError'
}

/** Every way an answer can fail to come. */
export type ConnectionErrorCode =
  | 'LATCHKEY_CONNECTION_FAILED' // the server could not be reached, or the connection broke
  | 'LATCHKEY_TIMEOUT' // no answer within `timeoutSeconds`

/** No answer came. Whether the request was carried out is unknown. */
export class ConnectionError extends ManagementError {
  override readonly name = 'ConnectionError'
  declare readonly code: ConnectionErrorCode
}

/** An answer came that no server of this API gives, such as a page of HTML. */
export class ResponseError extends ManagementError {
  override readonly name = 'ResponseError'
  declare readonly code: 'LATCHKEY_RESPONSE_INVALID' | 'LATCHKEY_LIST_INCOMPLETE'
}

/** The client was made with an option that cannot work. */
export class OptionsError extends ManagementError {
  override readonly name = 'OptionsError'
  declare readonly code: 'LATCHKEY_OPTIONS_INVALID'

  constructor(message: string) {
    super('LATCHKEY_OPTIONS_INVALID', message)
  }
}

/** The error of the class that belongs to the status. */
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
