import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { startSending } from './receiver.ts'

const TENANTS = 24
const ENDPOINTS = 10

/** A server that takes requests and never answers. */
async function startSilent() {
  const server = createServer(() => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe.each(['memory', 'cluster'] as const)('on %s', (store) => {
  test('240 endpoints of 24 tenants that never answer delay no event of another tenant', {
    timeout: 120_000,
  }, async () => {
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
    // Their events are on their way: to endpoints that are not known to fail, and later to those that are.
    const waits: number[] = []
    for (const pause of [1_000, 20_000]) {
      await new Promise((resolve) => setTimeout(resolve, pause))
      const email = `ada-${pause}@example.com`
      const begun = performance.now()
      await createUser(email)
      await vi.waitFor(() => {
        const created = sending.receiver.received.filter(
          ({ event }) => event.type === 'user.created',
        )
        expect(created).toHaveLength(waits.length + 1)
      }, 30_000)
      waits.push(Math.round(performance.now() - begun))
    }
    process.stdout.write(`Waits on ${store}: ${waits.join(', ')} ms\n`)
    expect(Math.max(...waits)).toBeLessThan(3_000)
  })
})
