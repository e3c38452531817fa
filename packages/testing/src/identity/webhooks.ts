import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WebhookEvent, WebhookEventOf, WebhookEventType } from '@latchkey/core'
import { serveNodeWebhook } from '@latchkey/core/node'
import { createWebhookHandler } from '@latchkey/core/webhooks'
import { TestingError } from '../errors.ts'
import type { Call } from './management.ts'

/** A webhook endpoint that collects the events of an identity. */
export interface TestWebhooks {
  /** The events that have arrived, in the order of arrival. Each has been verified. */
  readonly events: readonly WebhookEvent[]
  /**
   * Resolves to the first event of a type, even if it has arrived before.
   *
   * @param id - The id of the event's object, such as a user. Default: any object.
   * @throws {@link TestingError} with `LATCHKEY_TEST_NO_EVENT` if none arrives within ten seconds.
   */
  waitFor<Type extends WebhookEventType>(type: Type, id?: string): Promise<WebhookEventOf<Type>>
}

/** {@link TestWebhooks} that can be closed. */
export interface OpenWebhooks extends TestWebhooks {
  close(): Promise<void>
}

const WAIT_MILLISECONDS = 10_000

/** See `Identity.webhooks`. */
export async function collectWebhooks(
  call: Call,
  tenantId: string,
  types: readonly WebhookEventType[],
): Promise<OpenWebhooks> {
  const events: WebhookEvent[] = []
  const arrivals = new Set<() => void>()
  const onEvent = (event: WebhookEvent): void => {
    events.push(event)
    for (const arrived of arrivals) arrived()
  }
  // The handler is made last: the endpoint needs a listening server, and the handler the secret of
  // the endpoint.
  let handler: ReturnType<typeof createWebhookHandler> | undefined
  const server = createServer((req, res) => {
    if (handler) void serveNodeWebhook(handler, req, res)
    else res.writeHead(503).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/webhooks`
  const { secret } = await call(`/x/v1/tenants/${tenantId}/webhooks`, { url, types })
  handler = createWebhookHandler({ secret, onEvent, logger: false })

  return {
    events,
    waitFor<Type extends WebhookEventType>(type: Type, id?: string) {
      const find = (): WebhookEvent | undefined =>
        events.find((one) => one.type === type && (id === undefined || one.data.id === id))
      return new Promise<WebhookEventOf<Type>>((resolve, reject) => {
        const settle = (): void => {
          const found = find()
          if (!found) return
          stop()
          resolve(found as WebhookEvent as WebhookEventOf<Type>)
        }
        const timer = setTimeout(() => {
          stop()
          reject(noEvent(type, id, events))
        }, WAIT_MILLISECONDS)
        const stop = (): void => {
          clearTimeout(timer)
          arrivals.delete(settle)
        }
        arrivals.add(settle)
        settle()
      })
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function noEvent(type: string, id: string | undefined, events: readonly WebhookEvent[]) {
  const seen = events.map((one) => `${one.type} of ${one.data.id}`).join(', ') || 'none'
  const wanted = id === undefined ? type : `${type} of ${id}`
  const message = `No event ${wanted} has arrived within 10 s. Arrived: ${seen}.`
  return new TestingError('LATCHKEY_TEST_NO_EVENT', message)
}
