import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuth } from '@latchkey/koa'
import Koa from 'koa'
import { expect, onTestFinished, test } from 'vitest'

test('a factory that is mounted without a call says what to write', async () => {
  const app = new Koa()
  const failed = Promise.withResolvers<unknown>()
  // @ts-expect-error The parentheses are missing.
  app.use(createAuth)
  app.on('error', failed.resolve)
  const answer = app.callback()
  const server = createServer((request, response) => void answer(request, response))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  expect(await failed.promise).toMatchObject({
    code: 'LATCHKEY_CONFIG_INVALID',
    message: 'Parentheses are missing: write createAuth(), as in app.use(createAuth()).',
  })
})
