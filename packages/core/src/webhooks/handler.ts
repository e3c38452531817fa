import { LatchkeyError, RequestError, WebhookError } from '../errors/errors.ts'
import { bodyTooLarge, MAX_BODY_BYTES, readBytes } from '../http/body.ts'
import type { AuthResponse } from '../http/request.ts'
import { problem } from '../http/responses.ts'
import { createDeliverOnce } from './deliveries.ts'
import { resolveWebhookOptions, type WebhookHandlerOptions } from './options.ts'
import { secretsThatSigned, type WebhookSecret } from './signature.ts'
import { isKnownEvent, parseEvent, type UnknownWebhookEvent } from './webhook-event.ts'

/** A request that may be a webhook. */
export interface WebhookRequest {
  readonly method: string
  readonly headers: { get(name: string): string | null }
  /**
   * Reads the body as the exact bytes that were sent, because the signature covers exactly these
   * bytes.
   *
   * @throws {@link WebhookError} with `LATCHKEY_WEBHOOK_BODY_READ` when a body parser has read the
   *   body and kept no copy.
   */
  body(): Promise<Uint8Array>
}

/** Receives the webhooks of one endpoint, under any framework. */
export interface WebhookHandler {
  /**
   * Verifies a request and passes its event to `onEvent`. Resolves to the response: 204 if the
   * event was handled now or before, or has an unknown type.
   */
  receive(request: WebhookRequest): Promise<AuthResponse>
  /**
   * Verifies a web `Request` and passes its event to `onEvent`, as `receive()` does.
   *
   * @param rawBody - The exact body, if the framework has read it already.
   */
  fetch(request: Request, rawBody?: string | ArrayBuffer): Promise<Response>
}

/** The allowed difference between the timestamp and our clock, in seconds. */
const TOLERANCE_SECONDS = 300

/**
 * Makes a receiver for the webhooks of one endpoint. The receiver verifies the timestamp and the
 * signature first, and skips events that were handled in the last two days.
 *
 * @throws {@link ConfigError} listing every fault at once.
 * @see Standard Webhooks 1.0
 */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const resolved = resolveWebhookOptions(options)
  const { secrets, onEvent, onUnknownEvent, log, now } = resolved
  const deliverOnce = createDeliverOnce(resolved)

  const handle = async (event: UnknownWebhookEvent): Promise<void> => {
    try {
      await (isKnownEvent(event) ? onEvent(event) : onUnknownEvent(event))
    } catch (cause) {
      const message = `The handler of the application failed for "${event.id}".`
      throw new WebhookError('LATCHKEY_WEBHOOK_FAILED', message, { cause })
    }
  }
  const accept = async (request: WebhookRequest): Promise<void> => {
    if (request.method !== 'POST') throw methodNotAllowed(request.method)
    const { event, signedBy } = await verify(request, secrets, now())
    const keys = signedBy.map(({ fingerprint }) => `webhook:${fingerprint}:${event.id}`)
    const name = isKnownEvent(event) ? 'onEvent' : 'onUnknownEvent'
    const outcome = await deliverOnce(keys, { name, run: () => handle(event) })
    if (outcome === 'busy') throw busy()
  }
  const handler: WebhookHandler = {
    async receive(request) {
      try {
        await accept(request)
        return { status: 204, headers: [] }
      } catch (error) {
        if (!(error instanceof LatchkeyError)) throw error
        if (error.code !== 'LATCHKEY_WEBHOOK_BUSY') log.failed(error)
        return refusal(error)
      }
    },
    async fetch(request, rawBody) {
      const { method, headers } = request
      const body = (): Promise<Uint8Array> => bodyOf(request, rawBody)
      const answer = await handler.receive({ method, headers, body })
      return new Response(answer.body ?? null, answer)
    },
  }
  return handler
}

async function verify(
  { headers, body }: WebhookRequest,
  secrets: readonly WebhookSecret[],
  now: number,
): Promise<{ event: UnknownWebhookEvent; signedBy: readonly WebhookSecret[] }> {
  // A dot would make it unclear where the id ends and the timestamp begins in the signed text.
  const id = headerOf(headers, 'webhook-id', /^[\w-]{1,128}$/)
  const timestamp = headerOf(headers, 'webhook-timestamp', /^\d{1,12}$/)
  const signature = headerOf(headers, 'webhook-signature', /./)
  const late = now - Number(timestamp)
  if (Math.abs(late) > TOLERANCE_SECONDS) throw outOfTime(late)
  const bytes = await readBody(headers, body)
  const signedBy = secretsThatSigned({ id, timestamp, body: bytes }, signature, secrets)
  if (signedBy.length === 0) throw unsigned()
  const event = parseEvent(Buffer.from(bytes).toString('utf8'))
  if (!event) throw invalid('The body is no event of the service.')
  if (event.id !== id) throw invalid('The header "webhook-id" and the "id" of the event differ.')
  return { event, signedBy }
}

function headerOf(headers: WebhookRequest['headers'], name: string, fits: RegExp): string {
  const value = headers.get(name)
  if (value === null || value === '') throw invalid(`The header "${name}" is missing.`)
  if (!fits.test(value)) throw invalid(`The header "${name}" is malformed or repeated.`)
  return value
}

async function readBody(
  headers: WebhookRequest['headers'],
  body: WebhookRequest['body'],
): Promise<Uint8Array> {
  try {
    if (Number(headers.get('content-length')) > MAX_BODY_BYTES) throw bodyTooLarge()
    const bytes = await body()
    if (bytes.byteLength > MAX_BODY_BYTES) throw bodyTooLarge()
    return bytes
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    const { message, status } = error
    throw new WebhookError('LATCHKEY_WEBHOOK_INVALID', message, { cause: error, status })
  }
}

async function bodyOf(request: Request, rawBody?: string | ArrayBuffer): Promise<Uint8Array> {
  if (typeof rawBody === 'string') return Buffer.from(rawBody)
  if (rawBody) return new Uint8Array(rawBody)
  if (request.bodyUsed) throw bodyReadBefore()
  return request.body ? readBytes(request.body) : new Uint8Array()
}

/** The error for a body that was read before, so that its signature cannot be verified. */
export function bodyReadBefore(): WebhookError {
  return new WebhookError(
    'LATCHKEY_WEBHOOK_BODY_READ',
    'The body was read before the request came here, and its raw bytes were not kept. Mount the webhook handler in front of the body parser.',
  )
}

const TITLES: Partial<Readonly<Record<LatchkeyError['code'], string>>> = {
  LATCHKEY_WEBHOOK_INVALID: 'This is no webhook',
  LATCHKEY_WEBHOOK_TIME_INVALID: 'The timestamp is more than five minutes off',
  LATCHKEY_WEBHOOK_SIGNATURE_INVALID: 'No signature fits',
  LATCHKEY_WEBHOOK_BUSY: 'This event is being handled',
  LATCHKEY_METHOD_NOT_ALLOWED: 'Webhooks are sent with POST',
}

function refusal(error: LatchkeyError): AuthResponse {
  const answer = problem(error, TITLES[error.code] ?? 'The webhook could not be handled')
  if (error.retryable) answer.headers.push(['retry-after', '5'])
  if (error.code === 'LATCHKEY_METHOD_NOT_ALLOWED') answer.headers.push(['allow', 'POST'])
  return answer
}

function methodNotAllowed(method: string): RequestError {
  const found = method.replace(/[^A-Z]/gi, '?').slice(0, 20)
  const message = `A webhook is sent with POST, not ${found}.`
  return new RequestError('LATCHKEY_METHOD_NOT_ALLOWED', message)
}

function invalid(message: string): WebhookError {
  return new WebhookError('LATCHKEY_WEBHOOK_INVALID', message)
}

function outOfTime(late: number): WebhookError {
  const side = late > 0 ? 'past' : 'future'
  const message = `The header "webhook-timestamp" is ${Math.abs(late)} s in the ${side}; ${TOLERANCE_SECONDS} s are allowed.`
  return new WebhookError('LATCHKEY_WEBHOOK_TIME_INVALID', message)
}

function unsigned(): WebhookError {
  return new WebhookError(
    'LATCHKEY_WEBHOOK_SIGNATURE_INVALID',
    'No signature of the webhook was made with a secret of this handler.',
  )
}

function busy(): WebhookError {
  return new WebhookError('LATCHKEY_WEBHOOK_BUSY', 'The same event is being handled.')
}
