import { createAuth } from '@latchkey/hono'
import { Hono } from 'hono'
import { expect, test } from 'vitest'

test('a factory that is mounted without a call says what to write', async () => {
  const app = new Hono()
  const failed = Promise.withResolvers<unknown>()
  // @ts-expect-error The parentheses are missing.
  app.use(createAuth)
  app.onError((error, c) => {
    failed.resolve(error)
    return c.body(null, 500)
  })
  await app.request('/')
  expect(await failed.promise).toMatchObject({
    code: 'LATCHKEY_CONFIG_INVALID',
    message: 'Parentheses are missing: write createAuth(), as in app.use(createAuth()).',
  })
})
