import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import type { ServiceEvent } from '../../src/webhooks/events.ts'

/** A request that a receiver got, with its event, which was verified by the library of the standard. */
export interface Received {
  event: ServiceEvent
  headers: Record<string, string>
  body: string
}

/** An endpoint of a customer. */
export interface Receiver extends AsyncDisposable {
  url: string
  /** The verified events, in the order of their arrival. */
  received: Received[]
  /** Requests whose signature no key fits. */
  refused: number
  /** The keys that it verifies with. */
  secrets: string[]
  /** Answers a verified request. Default: 204. */
  answer(response: ServerResponse, received: Received): void | Promise<void>
}

/** Starts an endpoint on loopback. */
export async function startReceiver(): Promise<Receiver> {
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = await verified(receiver, request)
    if (!received) {
      receiver.refused++
      response.writeHead(401).end()
      return
    }
    receiver.received.push(received)
    await receiver.answer(response, received)
  }
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received: [],
    refused: 0,
    secrets: [],
    answer: (response) => void response.writeHead(204).end(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
  return receiver
}

async function verified(
  { secrets }: Receiver,
  request: IncomingMessage,
): Promise<Received | undefined> {
  const body = await text(request)
  const headers = request.headers as Record<string, string>
  for (const secret of secrets) {
    try {
      const event = new Webhook(secret).verify(body, headers) as ServiceEvent
      return { event, headers, body }
    } catch {
      // Perhaps another key fits.
    }
  }
  return undefined
}
