import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Express } from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { startRedis, type TestRedis } from '../../../packages/session-store/test/support/redis.ts'
import { type Running, start } from './support.ts'

let redis: TestRedis
let site: Running
let letGo: () => Promise<void>

beforeAll(async () => {
  redis = await startRedis()
  site = await start(async ({ issuer, clientId, clientSecret, baseUrl, session }) => {
    Object.assign(process.env, {
      REDIS_URL: redis.url,
      LATCHKEY_ISSUER: issuer,
      LATCHKEY_CLIENT_ID: clientId,
      LATCHKEY_CLIENT_SECRET: clientSecret,
      LATCHKEY_BASE_URL: baseUrl,
      LATCHKEY_SESSION_SECRET: session.secret,
    })
    const { app, close } = await import('../src/sessions.ts')
    letGo = close
    return app as Express
  })
  site.provider.user = { sub: 'ada' }
})
afterAll(async () => {
  await site.close()
  await letGo()
  await redis[Symbol.asyncDispose]()
})

test('a cart filled before the login is there after it', async () => {
  const browser = createBrowser()
  await browser.send(`${site.url}/cart/book`, { method: 'POST' })
  await browser.open(`${site.url}/login`)
  const cart = await browser.send(`${site.url}/cart/pen`, { method: 'POST' })
  expect(await cart.json()).toEqual(['book', 'pen'])
})

test('a user ends their sessions on other devices', async () => {
  const [phone, laptop] = [createBrowser(), createBrowser()]
  await phone.open(`${site.url}/login`)
  await laptop.open(`${site.url}/login`)
  const before = await (await laptop.send(`${site.url}/devices`)).json()
  const { ended } = (await (
    await laptop.send(`${site.url}/devices/log-out-others`, { method: 'POST' })
  ).json()) as { ended: number }
  expect(ended).toBe((before as unknown[]).length - 1)
  expect((await phone.send(`${site.url}/devices`)).status).toBe(401)
  expect((await laptop.send(`${site.url}/devices`)).status).toBe(200)
})

test('an API is called with the access token of the session', async () => {
  const api = createServer((req, res) => {
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify({ bearer: /^Bearer \S+/.test(req.headers.authorization ?? '') }))
  })
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  process.env.ORDERS_API = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  expect(await (await browser.send(`${site.url}/orders`)).json()).toEqual({ bearer: true })
  api.closeAllConnections()
  api.close()
})

test('the health of the login is reported without a network call', async () => {
  const health = await createBrowser().send(`${site.url}/healthz`)
  expect(await health.json()).toMatchObject({ sessions: 'ok' })
})
