import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuth, requireUser } from '@latchkey/koa'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import Koa from 'koa'
import { expect, onTestFinished, test } from 'vitest'
import { createBrowser } from '../../testing/src/login/browser.ts'

test('a refusal is complete although a middleware in front has set a body', async () => {
  await using provider = await startMisbehavingProvider()
  const { issuer, clientId, clientSecret } = provider
  const app = new Koa()
  app.use((ctx, next) => {
    ctx.body = 'default'
    ctx.set({ etag: '"default"', 'last-modified': new Date().toUTCString() })
    ctx.set('content-encoding', 'identity')
    return next()
  })
  const session = { secret: 'a secret of a test, long enough for the kit' }
  app.use(createAuth({ issuer, clientId, clientSecret, baseUrl: 'http://localhost:3000', session }))
  app.use(requireUser())
  const answer = app.callback()
  const server = createServer((request, response) => void answer(request, response))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const refused = await fetch(url, { headers: { accept: 'application/json' } })
  expect(refused.status).toBe(401)
  expect(await refused.json()).toMatchObject({ code: 'LATCHKEY_LOGIN_REQUIRED' })
  for (const name of ['etag', 'last-modified', 'content-encoding']) {
    expect(refused.headers.get(name)).toBeNull()
  }

  const sent = await createBrowser().send(url, { headers: { accept: 'text/html' } })
  expect(sent.status).toBe(302)
  expect(Number(sent.headers.get('content-length'))).toBe(0)
  expect(await sent.text()).toBe('')
})
