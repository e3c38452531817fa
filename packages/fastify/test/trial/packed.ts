import { createAuth, getUser, requireUser, type UserOf } from '@latchkey/fastify'
import { fastify } from 'fastify'
import { type App, type Client, claims, session } from '../../../../test/tarballs/client.ts'

type Member = UserOf<typeof claims>

export function create(client: Client): App {
  const app = fastify()
  app.register(createAuth({ ...client, claims, session }))
  app.get('/plan', { onRequest: requireUser<Member>() }, async (request) => {
    const { plan } = getUser<Member>(request)
    // @ts-expect-error The schema knows no such plan.
    return request.auth.isAuthenticated && plan !== 'silver' ? plan : ''
  })
  return app
}
