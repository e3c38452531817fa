import { createAuth, getUser, requireUser } from '@latchkey/fastify'
import { type FastifyInstance, fastify } from 'fastify'
import { claims, type Plan } from '../../../../test/tarballs/claims.ts'

export function create(): FastifyInstance {
  const app = fastify()
  app.register(createAuth({ claims }))
  app.get('/plan', { onRequest: requireUser({ roles: ['viewer'] }) }, async (request) => {
    const plan: Plan = getUser(request).plan
    return request.auth.isAuthenticated && request.auth.user.plan === plan
  })
  return app
}
