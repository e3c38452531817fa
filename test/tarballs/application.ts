import { createAuthRouter, requireUser as requireUserOfExpress } from '@latchkey/express'
import {
  createAuth as createAuthOfFastify,
  getUser as getUserOfFastify,
  requireUser as requireUserOfFastify,
  type UserOf,
} from '@latchkey/fastify'
import { createAuth as createAuthOfHono, requireUser as requireUserOfHono } from '@latchkey/hono'
import {
  createAuth as createAuthOfKoa,
  type RequestAuth,
  requireUser as requireUserOfKoa,
} from '@latchkey/koa'
import { createSessionStore } from '@latchkey/session-store'
import express, { type Express } from 'express'
import { type FastifyInstance, fastify } from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { z } from 'zod'

// Applications in TypeScript that know the kit from its tarballs alone: they are compiled with
// `skipLibCheck: false`, and they run.

/** What an identity of `@latchkey/testing` says to its application. */
export interface Client {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly baseUrl: string
  readonly fetch: typeof fetch
}

const claims = z.object({ sub: z.string(), plan: z.enum(['free', 'gold']) })
type Member = UserOf<typeof claims>

const session = { secret: 'a secret of tests that protects nothing' }

export function createExpress(client: Client): Express {
  const auth = createAuthRouter({
    ...client,
    claims,
    session: { ...session, store: createSessionStore() },
    rolesFrom: (user) => [user.plan],
  })
  const app = express()
  app.use(auth)
  app.get('/plan', requireUserOfExpress(), (req, res) => {
    const { plan } = auth.getUser(req)
    // @ts-expect-error The schema knows no such plan.
    res.send(plan === 'silver' ? '' : plan)
  })
  return app
}

export function createFastify(client: Client): FastifyInstance {
  const app = fastify()
  app.register(createAuthOfFastify({ ...client, claims, session }))
  app.get('/plan', { onRequest: requireUserOfFastify<Member>() }, async (request) => {
    const { plan } = getUserOfFastify<Member>(request)
    // @ts-expect-error The schema knows no such plan.
    return request.auth.isAuthenticated && plan !== 'silver' ? plan : ''
  })
  return app
}

export function createHono(client: Client): Pick<Hono, 'fetch'> {
  return new Hono()
    .use(createAuthOfHono({ ...client, claims, session }))
    .get('/plan', requireUserOfHono(), (c) => {
      // @ts-expect-error No user may be logged in.
      const { plan } = c.var.auth.user
      // @ts-expect-error The schema knows no such plan.
      return c.text(c.var.auth.isAuthenticated && c.var.auth.user.plan === 'silver' ? '' : plan)
    })
}

export function createKoa(client: Client): Koa<{ auth: RequestAuth<Member> }> {
  const app = new Koa<{ auth: RequestAuth<Member> }>()
  app.use(createAuthOfKoa({ ...client, claims, session }))
  app.use(requireUserOfKoa())
  app.use((ctx) => {
    // @ts-expect-error No user may be logged in.
    const { plan } = ctx.state.auth.user
    // @ts-expect-error The schema knows no such plan.
    ctx.body = ctx.state.auth.isAuthenticated && ctx.state.auth.user.plan === 'silver' ? '' : plan
  })
  return app
}
