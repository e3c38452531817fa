import { BrokenOff } from '../background/index.ts'
import type { Outgoing } from '../egress/outgoing.ts'
import type { Webhook } from '../store/records.ts'
import { inOwnTrace, traceStatus } from '../telemetry/tracing.ts'
import { sign } from './signature.ts'

/** The answer of an endpoint. */
export interface WebhookAnswer {
  /** The HTTP status; absent without an answer. */
  status?: number
  /** The reason for a missing answer. A refused address is reported as `unreachable`. */
  reason?: 'timeout' | 'unreachable'
  millis: number
  /** The seconds that the endpoint asks us to wait. */
  retryAfter?: number
}

/** The maximum wait that an endpoint can ask for. */
export const MAX_RETRY_AFTER_SECONDS = 3_600

/** Whether an endpoint has accepted an event: the status is 2xx. */
export function isAccepted({ status }: WebhookAnswer): boolean {
  return status !== undefined && status >= 200 && status < 300
}

/**
 * Sends an event once. A failure of the endpoint is a result, not a rejection. Resolves to
 * `undefined` if the service closed before the answer.
 *
 * @param secrets - The keys for signatures, in clear text; see `secretsOf`.
 */
export async function attempt(
  { outgoing, secrets }: { outgoing: Outgoing; secrets: readonly string[] },
  webhook: Webhook,
  { eventId, body }: { eventId: string; body: string },
): Promise<WebhookAnswer | undefined> {
  // This is the time of the machine, not of the service's clock, because the receiver compares it
  // with its own time.
  const seconds = Math.floor(Date.now() / 1000)
  const signature = sign(secrets, { id: eventId, seconds, body })
  const started = performance.now()
  const millis = () => Math.round(performance.now() - started)
  try {
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Latchkey-Webhooks/1',
      'webhook-id': eventId,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signature,
    }
    const response = await traced(webhook, () =>
      outgoing.forTenant(webhook.tenantId)(webhook.url, {
        method: 'POST',
        headers,
        body,
      } as never),
    )
    const { status } = response
    const retryAfter = retryAfterOf(response.headers.get('retry-after'))
    return { status, millis: millis(), ...(retryAfter !== undefined && { retryAfter }) }
  } catch (error) {
    if (error instanceof BrokenOff) return undefined
    const isLate = (error as Error).name === 'TimeoutError'
    return { reason: isLate ? 'timeout' : 'unreachable', millis: millis() }
  }
}

/** Runs `send` in a trace of its own, which contains neither the endpoint nor the event. */
function traced({ tenantId }: Webhook, send: () => Promise<unknown>): Promise<Response> {
  const attributes = { 'latchkey.tenant.id': tenantId }
  return inOwnTrace('latchkey.webhook.deliver', attributes, async () => {
    const response = (await send()) as Response
    traceStatus(response.status)
    return response
  })
}

/**
 * The seconds of a `Retry-After` header, which has seconds or a date, up to the maximum;
 * `undefined` without a valid value.
 *
 * @see RFC 9110 §10.2.3
 */
function retryAfterOf(text: string | null): number | undefined {
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  if (Number.isNaN(seconds)) return undefined
  return Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(0, Math.ceil(seconds)))
}
