import { createAuth } from '@latchkey/fastify'
import { logIn, startIdentity } from '@latchkey/testing'
import fastify from 'fastify'
import { expect, test } from 'vitest'

test('cookies that middleware in front sets on the raw response are on the answers of the kit', async () => {
  await using identity = await startIdentity()
  const app = fastify()
  app.addHook('onRequest', async (_request, reply) => {
    reply.raw.appendHeader('set-cookie', 'seen=1; Path=/')
    reply.raw.appendHeader('set-cookie', 'theme=dark; Path=/')
  })
  await app.register(createAuth(identity.clientOptions()))
  app.get('/account', async (request) => String(request.auth.isAuthenticated))
  const browser = await logIn(app, await identity.createUser())

  expect((await browser.get('/account')).text).toBe('true')
  const begun = await browser.get('/login')
  const names = [begun.headers['set-cookie']].flat().map((line) => String(line).split('=')[0])
  expect(names.slice(0, 2)).toEqual(['seen', 'theme'])
  expect(names).toHaveLength(3)
})
