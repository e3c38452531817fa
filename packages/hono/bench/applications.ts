import type { Server } from 'node:http'
import {
  ADA,
  type Applications,
  client,
  DAY_SECONDS,
  kitOptions,
  sessionSecret,
} from '../../../bench/parts/adapter-parts.ts'

export const plugin = '@hono/oidc-auth'

export const applications: Applications = {
  async hono() {
    const { Hono } = await import('hono')
    return serveHono(new Hono().get('/page', (c) => c.text('Hello Ada')))
  },

  async 'latchkey/hono'(settings) {
    const { Hono } = await import('hono')
    const { createAuth, getUser, requireUser } = await import('@latchkey/hono')
    const app = new Hono()
      .use(createAuth(await kitOptions(settings)))
      .get('/page', requireUser(), (c) => c.text(`Hello ${getUser(c).name}`))
    return serveHono(app)
  },

  async '@hono/oidc-auth'({ issuer }) {
    const { Hono } = await import('hono')
    const { sign } = await import('hono/jwt')
    const { getAuth, initOidcAuthMiddleware, oidcAuthMiddleware } = await import('@hono/oidc-auth')
    const app = new Hono()
    // It talks to providers over https alone, so this is the cookie that it sets after a login.
    app.get('/login', async (c) => {
      const now = Math.floor(Date.now() / 1000)
      const session = { ...ADA, rtk: '', rtkexp: now + DAY_SECONDS, ssnexp: now + DAY_SECONDS }
      c.header('set-cookie', `oidc-auth=${await sign(session, sessionSecret, 'HS256')}; Path=/`)
      return c.text('')
    })
    app.use(
      initOidcAuthMiddleware({
        OIDC_AUTH_SECRET: sessionSecret,
        OIDC_ISSUER: issuer,
        OIDC_CLIENT_ID: client.id,
        OIDC_CLIENT_SECRET: client.secret,
      }),
    )
    app.get('/page', oidcAuthMiddleware(), async (c) =>
      c.text(`Hello ${(await getAuth(c))?.name as string}`),
    )
    return serveHono(app)
  },
}

async function serveHono(app: { fetch(request: Request): Response | Promise<Response> }) {
  const { createAdaptorServer } = await import('@hono/node-server')
  return createAdaptorServer(app) as Server
}
