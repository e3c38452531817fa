import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Reason, reason, sentenceIn } from '../../domain/writes/reasons/index.ts'

/** The fields of a submitted form. Of a repeated field, only the first value counts. */
export type Form = ReadonlyMap<string, string>

/** The maximum size of a form, in bytes. A password may have 4 KiB and be percent-encoded. */
const MAX_FORM_BYTES = 32 * 1024

/** The error for a request that is refused before any page handles it. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused'
  readonly statusCode: number
  readonly reason: Reason

  constructor(statusCode: number, because: Reason) {
    super(sentenceIn('en', because))
    this.reason = because
    this.statusCode = statusCode
  }
}

/**
 * Reads a submitted form.
 *
 * @throws {@link RequestRefused} 415 for another media type, 413 if it is too large.
 */
export async function readForm(request: IncomingMessage): Promise<Form> {
  const fields = new Map<string, string>()
  for (const [name, value] of await readFields(request)) {
    if (!fields.has(name)) fields.set(name, value)
  }
  return fields
}

/** Like {@link readForm}, with every value of a repeated field. */
export async function readFields(
  request: IncomingMessage,
  maxBytes: number = MAX_FORM_BYTES,
): Promise<URLSearchParams> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    throw new RequestRefused(415, reason('form_type'))
  }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new RequestRefused(413, reason('form_too_large'))
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

/**
 * Whether the client closed the connection before its whole request arrived. This is no fault of
 * the service.
 */
export function isBrokenOff(request: IncomingMessage): boolean {
  return request.destroyed && !request.complete
}

/** Redirects the browser with a GET. */
export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, 'cache-control': 'no-store', 'content-length': 0 })
  response.end()
}

/** Answers a program with JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string>,
): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...headers,
  })
  response.end(text)
}

/** Answers with plain text, for responses that no person sees. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  response.end(`${text}\n`)
}
