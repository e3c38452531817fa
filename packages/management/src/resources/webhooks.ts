import type { Json, Send } from '../request.ts'
import type {
  Delivery,
  Webhook,
  WebhookInput,
  WebhookReplay,
  WebhookTest,
  WebhookWithSecret,
} from '../types.ts'
import { restoreZeros, type Zeros, zeros } from '../zero-values.ts'
import { type CreateOptions, recovery } from './create.ts'
import { readFiltered } from './filtered.ts'
import { createAccess, type Deletable, type Readable, segment } from './resource.ts'

/** The webhook endpoints of a tenant. */
export interface Webhooks extends Readable<Webhook>, Deletable<Webhook> {
  /** Adds an endpoint. The result has the signing key, which `get` and `list` leave out. */
  create(
    input: WebhookInput,
    options?: CreateOptions<WebhookWithSecret>,
  ): Promise<WebhookWithSecret>
  /**
   * Gives an endpoint a new signing key. For 24 hours, events are signed with the old and the new
   * key. If the response is lost, the request is not retried.
   */
  rotate(id: string): Promise<WebhookWithSecret>
  /** Sends a test event now. Resolves to the endpoint's response. */
  test(id: string): Promise<WebhookTest>
  /**
   * Sends the events of a period again: from `from`, inclusive, to `to`, exclusive. Both are in RFC
   * 3339. Default of `to`: now.
   */
  replay(id: string, range: { from: string; to?: string | undefined }): Promise<WebhookReplay>
  /** Lists the deliveries of the last 30 days, the newest first. */
  deliveries(
    id: string,
    query?: { state?: Delivery['state'] | undefined },
  ): AsyncGenerator<Delivery, void, undefined>
  /** Sends the event of a delivery again. */
  sendAgain(id: string, deliveryId: string): Promise<Delivery>
}

export function createWebhooks(send: Send, tenantId: string): Webhooks {
  const path = `/x/v1/tenants/${segment(tenantId)}/webhooks`
  const { list, page, get, update, ...access } = createAccess<Webhook>(send, path, zeros.Webhook)
  async function act<T>(id: string, what: string, of: Zeros, body: object = {}): Promise<T> {
    const to = `${path}/${segment(id)}/${what}`
    return restoreZeros<T>(
      (await send({ method: 'POST', path: to, body, isRepeatable: false })).body,
      of,
    )
  }
  const restoreDelivery = (json: Json) => restoreZeros<Delivery>(json, zeros.Delivery)
  return {
    list,
    page,
    get,
    update,
    delete: access.delete,
    async create(input, options) {
      const recover = recovery(options)
      const answer = await send({ method: 'POST', path, body: input, isRepeatable: false, recover })
      return access.restore(answer.body) as WebhookWithSecret
    },
    rotate: (id) => act(id, 'rotate', zeros.Webhook),
    test: (id) => act(id, 'test', zeros.WebhookTest),
    replay: (id, { from, to }) =>
      act(id, 'replay', zeros.WebhookReplay, { from, ...(to !== undefined && { to }) }),
    deliveries: (id, query = {}) =>
      readFiltered(send, `${path}/${segment(id)}/deliveries`, { ...query }, restoreDelivery),
    sendAgain: (id, deliveryId) =>
      act(id, `deliveries/${segment(deliveryId)}/resend`, zeros.Delivery),
  }
}
