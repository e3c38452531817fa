import { createHmac, randomUUID } from 'node:crypto'
import { createWebhookHandler } from '@latchkey/core/webhooks'
import { createSessionStore } from '@latchkey/session-store'
import { expect, test } from 'vitest'
import { startRedis } from './support/redis.ts'

const KEY = Buffer.alloc(32, 9)

function webhook(id: string): Request {
  const data = { type: 'User', id: 'usr_1', tenant_id: 'ten_1', actor: 'key:key_1', sequence: 1 }
  const timestamp = new Date().toISOString()
  const body = JSON.stringify({ id, type: 'user.disabled', timestamp, data })
  const at = String(Math.floor(Date.now() / 1000))
  const mac = createHmac('sha256', KEY).update(`${id}.${at}.${body}`).digest('base64')
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': at,
    'webhook-signature': `v1,${mac}`,
  }
  return new Request('https://app.example.com/webhooks', { method: 'POST', headers, body })
}

test('processes that share Redis handle a webhook once; after a failure, another process does', async () => {
  await using redis = await startRedis()
  const secret = 'session-secret-0123456789-session-secret'
  const stores = [1, 2, 3, 4].map(() => createSessionStore({ url: redis.url, secret }))
  let runs = 0
  let failures = 1
  const handlers = stores.map((store) =>
    createWebhookHandler({
      secret: `whsec_${KEY.toString('base64')}`,
      store,
      logger: false,
      async onEvent() {
        if (failures-- > 0) throw new Error('the database is away')
        runs++
        await new Promise((resolve) => setTimeout(resolve, 50))
      },
    }),
  )
  const send = async (handler: (typeof handlers)[number] | undefined, id: string) =>
    (await handler?.fetch(webhook(id)))?.status

  const id = `evt_${randomUUID()}`
  expect(await send(handlers[0], id)).toBe(500)
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, copy) => send(handlers[copy % 4], id)),
  )
  expect(runs).toBe(1)
  expect(answers.filter((status) => status === 204).length).toBeGreaterThan(0)
  expect(answers.every((status) => status === 204 || status === 503)).toBe(true)
  expect(await send(handlers[3], id)).toBe(204)
  expect(runs).toBe(1)

  await redis.kill()
  expect(await send(handlers[0], id)).toBe(503)
  expect(runs).toBe(1)
  for (const store of stores) await store.close()
})
