import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import {
  createAuth as createAuthOfFastify,
  getUser as getUserOfFastify,
  requireUser as requireUserOfFastify,
} from '@latchkey/fastify'
import { createAuth as createAuthOfHono, requireUser as requireUserOfHono } from '@latchkey/hono'
import {
  getUser as getUserOfKoa,
  type RequestAuth,
  requireUser as requireUserOfKoa,
} from '@latchkey/koa'
import express, { type Express, type Request } from 'express'
import { type FastifyInstance, fastify } from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { z } from 'zod'

// One declaration names the schema. From then on the user has its type in every file, and under every framework.

const claims = z.object({
  sub: z.string(),
  email: z.email(),
  plan: z.enum(['free', 'gold']),
  roles: z.array(z.enum(['admin', 'viewer'])),
})

// #region types
declare module '@latchkey/express' {
  interface AppTypes {
    claims: typeof claims
  }
}
// #endregion

type Plan = 'free' | 'gold'

export function createExpress(): Express {
  const app = express()
  app.use(createAuthRouter({ claims, rolesFrom: ({ roles }) => roles }))
  // #region typed
  app.get('/hello', (req, res) => {
    res.type('text').send(req.auth.isAuthenticated ? `Hello ${req.auth.user.email}` : 'Hello')
  })
  app.get('/plan', requireUser({ roles: ['admin'] }), (req, res) => {
    res.json(getUser(req).plan) // 'free' | 'gold'
  })
  // #endregion
  app.get('/all', (req, res) => {
    const plan: Plan = getUser(req).plan
    res.send(`${plan} ${planOf(req)}`)
  })
  // @ts-expect-error The schema knows no such role.
  app.get('/admin', requireUser({ roles: ['admn'] }))
  return app
}

function planOf(req: Request): Plan | undefined {
  // @ts-expect-error The schema knows no such claim.
  if (req.auth.isAuthenticated && req.auth.user.nickname) return undefined
  return req.auth.isAuthenticated ? req.auth.user.plan : undefined
}

export function createFastify(): FastifyInstance {
  const app = fastify()
  app.register(createAuthOfFastify({ claims }))
  app.get('/plan', { onRequest: requireUserOfFastify({ roles: ['viewer'] }) }, async (request) => {
    const plan: Plan = getUserOfFastify(request).plan
    return request.auth.isAuthenticated && request.auth.user.plan === plan
  })
  return app
}

export function createHono(): Pick<Hono, 'fetch'> {
  return new Hono()
    .use(createAuthOfHono({ claims }))
    .get('/plan', requireUserOfHono({ roles: ['viewer'] }), (c) => {
      const plan: Plan | undefined = c.var.auth.user?.plan
      return c.text(plan ?? 'free')
    })
}

export function createKoa(): Koa<{ auth: RequestAuth }> {
  const app = new Koa<{ auth: RequestAuth }>()
  app.use(requireUserOfKoa({ roles: ['viewer'] }))
  app.use((ctx) => {
    const plan: Plan = getUserOfKoa(ctx).plan
    ctx.body = ctx.state.auth.user?.plan === plan
  })
  return app
}
