import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createIdentityService } from '../src/service.ts'
import { startReceiver } from './webhooks/endpoint.ts'
import { startSending } from './webhooks/receiver.ts'

const HOUR_MS = 3_600_000

function aClock() {
  const clock = { millis: Date.now(), now: () => clock.millis + performance.now() }
  return clock
}

describe.each(['SQLite', 'cluster'] as const)('on %s', (store) => {
  test.each([1, 24])(
    'after a clock was %d hours ahead, the next event reaches its endpoint within half a minute',
    async (hours) => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      onTestFinished(() => void vi.useRealTimers())
      const clock = aClock()
      await using sending = await startSending({ clock }, { types: ['user.created'] }, store)
      clock.millis += hours * HOUR_MS
      await sending.api.createUser('ada@example.com')
      await sending.has('user.created')
      clock.millis -= hours * HOUR_MS
      await sending.api.createUser('eve@example.com')
      vi.advanceTimersByTime(30_000)
      await sending.has('user.created', 'user.created')
    },
  )
})

test('after a restart with the right time, an event that a clock ahead has queued reaches its endpoint', async () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-clocks-'))
  onTestFinished(() => rmSync(data, { recursive: true }))
  await using receiver = await startReceiver()
  const options = { data, allowHttpOnLoopback: true }
  const clock = aClock()
  clock.millis += 24 * HOUR_MS
  const before = await createIdentityService({ ...options, clock })
  const { id } = await before.admin.createTenant({ domain: 'acme.example' })
  const { secret } = await before.admin.createApiKey({ name: 'test', reach: [id] })
  const ask = async (service: typeof before, path: string, body: object) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await (await service.fetch(`https://api.example${path}`, init)).json()) as {
      secret: string
    }
  }
  const types = ['user.created']
  const made = await ask(before, `/x/v1/tenants/${id}/webhooks`, { url: receiver.url, types })
  receiver.secrets.push(made.secret)
  receiver.answer = (response) => void response.writeHead(503).end()
  await ask(before, `/v1/tenants/${id}/users`, { profile: { email: 'ada@example.com' } })
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1))
  await before.close()

  receiver.answer = (response) => void response.writeHead(204).end()
  await using _ = await createIdentityService(options)
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2))
})
