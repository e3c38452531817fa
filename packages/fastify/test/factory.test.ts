import { createAuth } from '@latchkey/fastify'
import { fastify } from 'fastify'
import { expect, test } from 'vitest'

test('a factory that is registered without a call says what to write', () => {
  const app = fastify()
  // As Fastify calls it. An error that a plugin throws at once ends the process.
  const register = () => Reflect.apply(createAuth, app, [app, {}, () => {}] as never)
  expect(register).toThrow(
    expect.objectContaining({
      code: 'LATCHKEY_CONFIG_INVALID',
      message:
        'Parentheses are missing: write createAuth(), as in await app.register(createAuth()).',
    }),
  )
})
