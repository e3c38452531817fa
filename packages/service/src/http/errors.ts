import type { ServerResponse } from 'node:http'
import { ServiceError } from '../domain/errors.ts'
import { StoreError } from '../store/errors.ts'
import { headerText } from './header-text.ts'

/** The refusal that an error of any kind becomes. What is not meant for callers stays inside. */
export function errorOf(cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause
  if (cause instanceof StoreError) {
    return new ServiceError(
      'unavailable',
      'The service cannot reach its data at the moment; nothing was written. Try again shortly.',
      { cause, retryAfterSeconds: 5 },
    )
  }
  return (
    bodyError(cause) ??
    new ServiceError(
      'internal_error',
      'Something went wrong in the service; its log has the details under this request-id.',
      { cause },
    )
  )
}

/** What the body reader and the router refuse, by the `type` and `status` that http-errors sets. */
function bodyError(cause: unknown): ServiceError | undefined {
  if (!(cause instanceof Error) || !('status' in cause)) return undefined
  const type = 'type' in cause ? cause.type : undefined
  switch (type) {
    case 'entity.too.large':
      return new ServiceError('request_too_large', 'The body is larger than 256 KiB.', { cause })
    case 'encoding.unsupported':
      return new ServiceError(
        'unsupported_media_type',
        'The content-encoding of the body is not known; send it as it is, or with gzip.',
        { cause },
      )
    case 'request.aborted':
    case 'request.size.invalid':
      return new ServiceError('invalid_json', 'The body ended before all of it had come.', {
        cause,
      })
  }
  if (cause instanceof URIError) {
    return new ServiceError('not_found', 'The path is not properly percent-encoded.', { cause })
  }
  if (cause.status === 400) {
    return new ServiceError('invalid_json', 'The body could not be decompressed.', { cause })
  }
  return undefined
}

/** Writes an Error object, exactly as the specification shows it; the sentence goes in a header. */
export function sendError(res: ServerResponse, requestId: string, error: ServiceError): void {
  const { code, statusCode, message, retryAfterSeconds } = error
  const body = JSON.stringify({ type: 'Error', uuid: requestId, code, status_code: statusCode })
  res.statusCode = statusCode
  res.removeHeader('link')
  res.setHeader('content-type', 'application/json')
  res.setHeader('content-length', Buffer.byteLength(body))
  res.setHeader('latchkey-error-detail', headerText(message))
  if (code === 'authentication_failure') res.setHeader('www-authenticate', 'Bearer')
  if (code === 'request_too_large') res.setHeader('connection', 'close')
  if (retryAfterSeconds !== undefined) res.setHeader('retry-after', retryAfterSeconds)
  res.end(body)
}
