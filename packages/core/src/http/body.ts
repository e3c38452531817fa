import { RequestError } from '../errors/errors.ts'
import type { AuthRequest } from './request.ts'

/** The largest body that is read, in bytes. Forms of a login and webhooks have a few kilobytes. */
export const MAX_BODY_BYTES = 65_536

/**
 * Reads the form of a request. No more than 64 KiB are read, regardless of the length that the
 * request states.
 *
 * @throws {@link RequestError} for a body that is longer, was read before, or ends too early.
 */
export async function readForm(request: AuthRequest): Promise<URLSearchParams> {
  if (Number(request.headers.get('content-length')) > MAX_BODY_BYTES) throw bodyTooLarge()
  if (request.bodyUsed) throw bodyReadBefore()
  const { body } = request
  const text = isStream(body) ? await readStream(body) : await request.text()
  if (text.length > MAX_BODY_BYTES) throw bodyTooLarge()
  return new URLSearchParams(text)
}

/** Collects the body of a stream as text; see {@link readBytes}. */
export async function readStream(stream: AsyncIterable<Uint8Array>): Promise<string> {
  return (await readBytes(stream)).toString('utf8')
}

/**
 * Collects the chunks of a body up to the limit. Beyond the limit, reading stops.
 *
 * @throws {@link RequestError} for a body that is longer or ends too early.
 */
export async function readBytes(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of stream) {
      size += chunk.byteLength
      if (size > MAX_BODY_BYTES) throw bodyTooLarge()
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof RequestError) throw cause
    throw new RequestError('LATCHKEY_REQUEST_INVALID', 'The body did not arrive.', { cause })
  }
  return Buffer.concat(chunks)
}

/** Rebuilds the form body that a parser has already consumed. */
export function formText(parsed: unknown): string {
  if (typeof parsed === 'string') return parsed
  if (parsed instanceof Uint8Array) return Buffer.from(parsed).toString('utf8')
  return new URLSearchParams(pairsOf(parsed)).toString()
}

/** The number of brackets in the deepest name that is rebuilt, such as 2 in `a[b][c]`. */
const MAX_DEPTH = 8

/**
 * The form fields that a parser has turned into a value. Parsers make the field `a[b]` the member
 * `b` of `a`.
 */
function pairsOf(parsed: unknown, prefix = '', depth = 0): [string, string][] {
  if (typeof parsed === 'string') return [[prefix, parsed]]
  if (typeof parsed !== 'object' || parsed === null || depth > MAX_DEPTH) return []
  return Object.entries(parsed).flatMap(([name, value]) => {
    const isRepeated = Array.isArray(parsed) && typeof value === 'string'
    const full = prefix === '' ? name : isRepeated ? repeated(prefix, parsed) : `${prefix}[${name}]`
    return pairsOf(value, full, depth + 1)
  })
}

/**
 * The name of a repeated field. A parser makes a list with one item only if the name ends in
 * brackets.
 */
function repeated(name: string, { length }: readonly unknown[]): string {
  return length === 1 ? `${name}[]` : name
}

/** The error for a body that was read before the request came to the kit, and was not kept. */
export function bodyReadBefore(): RequestError {
  return new RequestError(
    'LATCHKEY_REQUEST_INVALID',
    'The body was read before the request came here, and was not kept. Mount the router in front of what reads it, or let a parser such as express.urlencoded() put the form into req.body.',
    { status: 500 },
  )
}

/** The error for a body that is too large. */
export function bodyTooLarge(): RequestError {
  return new RequestError('LATCHKEY_REQUEST_INVALID', 'The body is larger than 64 KiB.', {
    status: 413,
  })
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}
