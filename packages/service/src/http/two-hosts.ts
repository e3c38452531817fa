import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ServiceError } from '../domain/writes/errors.ts'
import { reason } from '../domain/writes/reasons/index.ts'
import { sendError } from '../wire/errors.ts'

/**
 * Whether a request has more than one `Host` header. A proxy in front may have routed by a header
 * that Node ignores (RFC 9112 §3.2).
 */
export function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  const isHost = (text: string, i: number) => i % 2 === 0 && text.toLowerCase() === 'host'
  return rawHeaders.filter(isHost).length > 1
}

/** Answers `invalid_request` to a request with more than one `Host` header. */
export function refuseTwoHosts(res: ServerResponse): void {
  const requestId = randomUUID()
  res.setHeader('request-id', requestId)
  sendError(res, requestId, new ServiceError('invalid_request', reason('request_two_hosts')))
}
