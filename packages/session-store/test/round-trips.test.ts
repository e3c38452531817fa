import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { requireUser } from '@latchkey/express'
import { createSessionStore } from '@latchkey/session-store'
import { expect, test } from 'vitest'
import { createBrowser } from '../../express/test/support/browser.ts'
import { startSite } from '../../express/test/support/site.ts'
import { startRedis } from './support/redis.ts'

/** Stands in front of Redis and counts how often a process waits for it. */
async function countWaits(port: number) {
  const waits = { count: 0, commands: 0 }
  const server = createServer((socket) => {
    const upstream = connect(port, '127.0.0.1')
    let isAnswered = true
    socket.on('data', (data: Buffer) => {
      if (isAnswered) waits.count += 1
      isAnswered = false
      waits.commands += data.toString('latin1').match(/^\*\d+\r$/gm)?.length ?? 0
      upstream.write(data)
    })
    upstream.on('data', (data: Buffer) => {
      isAnswered = true
      socket.write(data)
    })
    socket.on('close', () => upstream.destroy()).on('error', () => {})
    upstream.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { waits, server, url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('a login waits for Redis three times, and a page behind the guard once', async () => {
  await using redis = await startRedis()
  const { waits, server, url } = await countWaits(redis.port)
  const store = createSessionStore({ url })
  await using site = await startSite(
    (app) => {
      app.get('/', requireUser(), (req, res) => void res.send(`Hello ${req.auth.user?.sub}`))
    },
    { session: { store } },
  )
  // Redis learns the scripts from the first login.
  await createBrowser().open(site.url)
  const browser = createBrowser()
  const { url: callback } = await browser.open(site.url, ({ pathname }) => pathname === '/callback')

  Object.assign(waits, { count: 0, commands: 0 })
  expect((await browser.send(callback.href)).status).toBe(303)
  expect(waits).toEqual({ count: 3, commands: 6 })

  Object.assign(waits, { count: 0, commands: 0 })
  expect((await browser.open(site.url)).text).toBe('Hello ada')
  expect(waits).toEqual({ count: 1, commands: 1 })
  await store.close()
  server.close()
})
