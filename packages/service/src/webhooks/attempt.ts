import type { Outgoing } from '../egress/outgoing.ts'
import type { Webhook } from '../store/records.ts'
import { inOwnTrace, traceStatus } from '../telemetry/tracing.ts'
import { sign } from './signature.ts'

/** The answer of an endpoint. */
export interface WebhookAnswer {
  /** `undefined`: there was no answer. */
  status?: number
  /** Why there was no answer. A refused address looks like one that does not exist. */
  reason?: 'timeout' | 'unreachable'
  millis: number
  /** How long the endpoint asks us to wait, in seconds. */
  retryAfter?: number
}

/** The maximum wait that an endpoint can ask for. */
export const MAX_RETRY_AFTER_SECONDS = 3_600

/** Whether an endpoint has accepted an event: only with 2xx. */
export function isAccepted({ status }: WebhookAnswer): boolean {
  return status !== undefined && status >= 200 && status < 300
}

/**
 * Sends an event once. It never rejects because of the endpoint.
 *
 * @param secrets - The keys for signatures, in clear text; see `secretsOf`.
 */
export async function attempt(
  { outgoing, secrets }: { outgoing: Outgoing; secrets: readonly string[] },
  webhook: Webhook,
  { eventId, body }: { eventId: string; body: string },
): Promise<WebhookAnswer> {
  // The machine's time, not the service's, because the receiver compares it with its own.
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
    const isLate = (error as Error).name === 'TimeoutError'
    return { reason: isLate ? 'timeout' : 'unreachable', millis: millis() }
  }
}

/** Sends in a separate trace, which contains neither the endpoint nor the event. */
function traced({ tenantId }: Webhook, send: () => Promise<unknown>): Promise<Response> {
  const attributes = { 'latchkey.tenant.id': tenantId }
  return inOwnTrace('latchkey.webhook.deliver', attributes, async () => {
    const response = (await send()) as Response
    traceStatus(response.status)
    return response
  })
}

/** `Retry-After` in seconds or as a date. RFC 9110 §10.2.3. */
function retryAfterOf(text: string | null): number | undefined {
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  if (Number.isNaN(seconds)) return undefined
  return Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(0, Math.ceil(seconds)))
}
