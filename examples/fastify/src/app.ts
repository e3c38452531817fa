import { accountPage, homePage } from '@latchkey/example-shared'
import { type AuthOptions, createAuth, getUser, requireUser } from '@latchkey/fastify'
import fastify, { type FastifyInstance } from 'fastify'

export async function createApp(options: AuthOptions): Promise<FastifyInstance> {
  const app = fastify()

  // Adds /login, /callback and /logout, and `request.auth` to every other request.
  await app.register(createAuth(options))

  app.get('/', async (request, reply) =>
    reply.type('text/html').send(homePage('Fastify', request.auth.user)),
  )

  // Visitors who aren't logged in are sent to log in, then returned here.
  app.get('/account', { onRequest: requireUser() }, async (request, reply) =>
    reply.type('text/html').send(accountPage('Fastify', getUser(request), request.auth.session)),
  )

  return app
}
