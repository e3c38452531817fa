import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, vi } from 'vitest'
import { startSending } from './receiver.ts'

const TENANTS = 24
const ENDPOINTS = 10

/** A server that takes requests and never answers. */
async function startSilent() {
  let ended = 0
  const server = createServer((_, response) => {
    response.once('close', () => ended++)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    /** How many requests were given up. */
    ended: () => ended,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * Sends an event while the endpoints of other tenants hold their requests, and says how long it took.
 *
 * @param whenFailing - Whether they have been silent before, so that the service knows that they are failing.
 */
export async function sendBesideSilent(
  store: 'memory' | 'cluster',
  whenFailing: boolean,
): Promise<{ milliseconds: number; givenUp: number }> {
  await using silent = await startSilent()
  await using sending = await startSending({ requestsPerSecond: 1e6 }, {}, store)
  const { service, createUser } = sending.api
  const { secret } = await service.admin.createApiKey({ name: 'all', reach: 'all' })
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await service.fetch(`https://api.example${path}`, init)
    expect(answer.status).toBe(200)
  }
  const others = await Promise.all(
    Array.from({ length: TENANTS }, async (_, n) => {
      const { id } = await service.admin.createTenant({ domain: `silent-${n}.example` })
      for (let i = 0; i < ENDPOINTS; i++) {
        await post(`/x/v1/tenants/${id}/webhooks`, { url: silent.url, types: ['user.created'] })
      }
      return id
    }),
  )
  await Promise.all(
    others.map((id) => post(`/v1/tenants/${id}/users`, { profile: { email: 'a@example.com' } })),
  )
  if (whenFailing) {
    await vi.waitFor(() => expect(silent.ended()).toBeGreaterThanOrEqual(TENANTS * ENDPOINTS))
  }
  const before = silent.ended()
  const begun = performance.now()
  await createUser('ada@example.com')
  await vi.waitFor(() =>
    expect(sending.receiver.received.map(({ event }) => event.type)).toContain('user.created'),
  )
  const milliseconds = Math.round(performance.now() - begun)
  return { milliseconds, givenUp: silent.ended() - before }
}
