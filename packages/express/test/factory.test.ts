import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAuthRouter } from '@latchkey/express'
import express, { type ErrorRequestHandler } from 'express'
import { expect, onTestFinished, test } from 'vitest'

test('a router that is mounted without a call says what to write', async () => {
  const app = express()
  const failed = Promise.withResolvers<unknown>()
  // @ts-expect-error The parentheses are missing.
  app.use(createAuthRouter)
  app.use(((error, _req, res, _next) => {
    failed.resolve(error)
    res.end()
  }) as ErrorRequestHandler)
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  expect(await failed.promise).toMatchObject({
    code: 'LATCHKEY_CONFIG_INVALID',
    message:
      'Parentheses are missing: write createAuthRouter(), as in app.use(createAuthRouter()).',
  })
})
