import { vi } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import { type Receiver, startReceiver } from './endpoint.ts'

/** A service with one endpoint. */
export interface Sending extends AsyncDisposable {
  api: Api
  receiver: Receiver
  /** `/x/v1/tenants/<id of the tenant>/webhooks` */
  webhooks: string
  /** The endpoint, with its key. */
  webhook: { id: string; secret: string }
  /** Waits until the receiver has events of these types, in any order, and no other ones. */
  has(...types: string[]): Promise<void>
}

/** Starts a service and an endpoint that gets its events. */
export async function startSending(
  options: Parameters<typeof startApi>[1] = {},
  fields: object = {},
  store: Parameters<typeof startApi>[0] = 'memory',
): Promise<Sending> {
  const receiver = await startReceiver()
  const api = await startApi(store, { allowHttpOnLoopback: true, ...options })
  const webhooks = `/x${api.tenant}/webhooks`
  const webhook = await api.create(webhooks, { url: receiver.url, ...fields })
  receiver.secrets.push(webhook.secret)
  return {
    ...{ api, receiver, webhooks, webhook },
    has: (...types) =>
      vi.waitFor(() => {
        // A tenant gets its first key whenever it is first needed.
        const found = receiver.received
          .map(({ event }) => event.type)
          .filter((type) => type !== 'signing_key.created')
        if (String(found.sort()) !== String(types.sort())) {
          throw new Error(`The receiver has ${found.join(', ') || 'nothing'}.`)
        }
      }),
    async [Symbol.asyncDispose]() {
      await receiver[Symbol.asyncDispose]()
      await api[Symbol.asyncDispose]()
    },
  }
}
