import formBody from '@fastify/formbody'
import {
  createAuth,
  createWebhookHandler,
  getData,
  getUser,
  requireUser,
  type User,
} from '@latchkey/fastify'
import type { AdapterUnderTest, TestAnswer } from '@latchkey/testing/adapter'
import fastify, { type FastifyReply } from 'fastify'

/** Translates the application of the contract. */
export const createServer: AdapterUnderTest['createServer'] = async (
  options,
  { routes, parser, inFront = [], onError, webhook },
) => {
  const app = fastify()
  if (onError) app.setErrorHandler((error, _request, reply) => send(reply, onError(error)))
  if (parser === 'before') await app.register(formBody)
  app.addHook('onRequest', async (_request, reply) => {
    for (const [name, value] of inFront) reply.header(name, value)
  })
  await app.register(createAuth(options))
  if (webhook) app.post(webhook.path, createWebhookHandler(webhook.options))
  if (parser === 'after') await app.register(formBody)
  for (const { method, path, outer, requirement, handle } of routes) {
    const onRequest = [outer, requirement].flatMap((one) => (one ? [requireUser(one)] : []))
    app[method](path, { onRequest }, async (request, reply) => {
      const { auth, body } = request
      const user = (): User => getUser(request)
      return send(reply, await handle({ auth, data: getData(request), user, request, body }))
    })
  }
  await app.ready()
  return app.server
}

function send(reply: FastifyReply, { status = 200, headers = [], body }: TestAnswer): FastifyReply {
  reply.code(status)
  for (const [name, value] of headers) reply.header(name, value)
  return reply.send(body)
}
