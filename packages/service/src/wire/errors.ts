import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { notFound, ServiceError } from '../domain/writes/errors.ts'
import { reason } from '../domain/writes/reasons/index.ts'
import { OutcomeUnknownError, StoreError } from '../store/errors.ts'
import { headerText } from './header-text.ts'

/**
 * Makes the ServiceError to answer with from an error of any kind. A StoreError becomes
 * `unavailable`, an unknown error becomes `internal_error`. Details that are not for callers are
 * only in the `cause`.
 */
export function errorOf(cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause
  if (cause instanceof StoreError) {
    const isOutcomeUnknown = cause instanceof OutcomeUnknownError
    const because = isOutcomeUnknown ? 'service_outcome_unknown' : 'service_no_data'
    return new ServiceError('unavailable', reason(because), {
      cause,
      retryAfterSeconds: 5,
      isOutcomeUnknown,
    })
  }
  return bodyError(cause) ?? new ServiceError('internal_error', reason('service_failed'), { cause })
}

/**
 * Makes the ServiceError for an error of the body reader or the router, by the `type` and `status`
 * that `http-errors` sets; `undefined` for other errors.
 */
function bodyError(cause: unknown): ServiceError | undefined {
  if (!(cause instanceof Error) || !('status' in cause)) return undefined
  const type = 'type' in cause ? cause.type : undefined
  switch (type) {
    case 'entity.too.large':
      return new ServiceError('request_too_large', reason('body_too_large'), { cause })
    case 'encoding.unsupported':
      return new ServiceError('unsupported_media_type', reason('body_encoding'), { cause })
    case 'request.aborted':
    case 'request.size.invalid':
      return new ServiceError('invalid_json', reason('body_incomplete'), {
        cause,
      })
  }
  // A path with invalid percent-encoding names no object.
  if (cause instanceof URIError) return notFound()
  if (cause.status === 400) {
    return new ServiceError('invalid_json', reason('body_not_decompressed'), { cause })
  }
  return undefined
}

/**
 * Makes the ServiceError for a request that Node's parser or timeouts refused, by the `code` of
 * Node's error.
 */
export function transportErrorOf(cause: NodeJS.ErrnoException): ServiceError {
  switch (cause.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('request_too_large', reason('request_headers_too_large'), { cause })
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('invalid_request', reason('request_timeout'), { cause })
    default:
      return new ServiceError('invalid_request', reason('request_not_http'), { cause })
  }
}

/**
 * Answers with an error: the status, and the Error object exactly as in the specification. The
 * message is in the header `latchkey-error-detail`. If the request may have been carried out,
 * `latchkey-outcome` is `unknown`.
 */
export function sendError(res: ServerResponse, requestId: string, error: ServiceError): void {
  const { headers, body } = answerOf(requestId, error)
  res.statusCode = error.statusCode
  res.removeHeader('link')
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  res.end(body)
}

/**
 * Answers a `clientError` event of the server on the connection, because there is no response
 * object if the request was not parsed. Closes the connection.
 */
export function refuseConnection(cause: NodeJS.ErrnoException, socket: Duplex): void {
  if (cause.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const error = transportErrorOf(cause)
  const requestId = randomUUID()
  const { headers, body } = answerOf(requestId, error)
  const all = {
    ...headers,
    'request-id': requestId,
    'cache-control': 'no-store',
    connection: 'close',
  }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const { statusCode } = error
  socket.end(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${head.join('')}\r\n${body}`)
}

function answerOf(
  requestId: string,
  { code, statusCode, message, retryAfterSeconds, oldestPlace, isOutcomeUnknown }: ServiceError,
): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify({ type: 'Error', uuid: requestId, code, status_code: statusCode })
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'x-content-type-options': 'nosniff',
    'latchkey-error-detail': headerText(message),
    ...(code === 'authentication_failure' && { 'www-authenticate': 'Bearer' }),
    ...(code === 'request_too_large' && { connection: 'close' }),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...(oldestPlace !== undefined && { 'latchkey-oldest-place': String(oldestPlace) }),
    ...(isOutcomeUnknown && { 'latchkey-outcome': 'unknown' }),
  }
  return { headers, body }
}
