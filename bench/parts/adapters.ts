import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { KitSettings } from './kits.ts'

type Create = (settings: KitSettings) => Promise<Server>

const client = { id: 'app', secret: 'client-secret-0123456789-client-secret' }
const sessionSecret = 'session-secret-0123456789-session-secret'
const DAY_SECONDS = 86_400
/** The user as the login plugins of passport keep it in the session. */
const ADA = { sub: 'ada', name: 'Ada', email: 'ada@example.com' }

// Their declarations would change the types of every request in this folder.
const require = createRequire(import.meta.url)

/** The login plugin that is usual under a framework, by the name of the framework. */
export const plugins: Readonly<Record<string, string>> = {
  fastify: '@fastify/passport',
  hono: '@hono/oidc-auth',
  koa: 'koa-passport',
}

/**
 * The same application under each framework, on the kit and on the plugins that are usual there: `/page`
 * is for logged-in people and says their name. A login of the plugins writes the session that theirs
 * would, without a provider: what is measured is the page.
 */
export const adapters: Record<string, Create> = {
  async fastify() {
    const { fastify } = await import('fastify')
    const app = fastify()
    app.get('/page', async () => 'Hello Ada')
    await app.ready()
    return app.server
  },

  async 'latchkey/fastify'(settings) {
    const { fastify } = await import('fastify')
    const { createAuth, getUser, requireUser } = await import('@latchkey/fastify')
    const app = fastify()
    await app.register(createAuth(await kitOptions(settings)))
    app.get('/page', { onRequest: requireUser() }, async (request) => {
      return `Hello ${getUser(request).name}`
    })
    await app.ready()
    return app.server
  },

  async '@fastify/passport'(settings) {
    const { fastify } = await import('fastify')
    const { Authenticator } = require('@fastify/passport')
    const app = fastify()
    const passport = new Authenticator()
    await app.register(require('@fastify/cookie'))
    await app.register(require('@fastify/session'), {
      secret: sessionSecret,
      saveUninitialized: false,
      cookie: { secure: false, sameSite: 'lax', maxAge: DAY_SECONDS * 1000 },
      ...(settings.redisPort && { store: await expressStore(settings) }),
    })
    await app.register(passport.initialize())
    await app.register(passport.secureSession())
    passport.registerUserSerializer(async (user: unknown) => user)
    passport.registerUserDeserializer(async (user: unknown) => user)
    app.get('/login', async (request) => {
      await (request as unknown as { logIn(user: object): Promise<void> }).logIn(ADA)
      return ''
    })
    app.get('/page', async (request, reply) => {
      const { user } = request as unknown as { user?: typeof ADA }
      return user ? `Hello ${user.name}` : reply.redirect('/login')
    })
    await app.ready()
    return app.server
  },

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

  async koa() {
    const { default: Koa } = await import('koa')
    const app = new Koa()
    app.use((ctx) => {
      ctx.body = 'Hello Ada'
    })
    return createServer(app.callback() as never)
  },

  async 'latchkey/koa'(settings) {
    const { default: Koa } = await import('koa')
    const { createAuth, getUser, requireUser } = await import('@latchkey/koa')
    const app = new Koa()
    app.use(createAuth(await kitOptions(settings)))
    app.use(requireUser())
    app.use((ctx) => {
      ctx.body = `Hello ${getUser(ctx).name}`
    })
    return createServer(app.callback() as never)
  },

  async 'koa-passport'(settings) {
    const { default: Koa } = await import('koa')
    const { default: session } = require('koa-session')
    const passport = require('koa-passport')
    const app = new Koa()
    app.keys = [sessionSecret]
    const store = settings.redisPort ? await koaRedisStore(settings) : koaMemoryStore()
    app.use(session({ store, sameSite: 'lax', maxAge: DAY_SECONDS * 1000 }, app))
    passport.serializeUser((user: unknown, done: Done) => done(null, user))
    passport.deserializeUser((user: unknown, done: Done) => done(null, user))
    app.use(passport.initialize())
    app.use(passport.session())
    app.use(async (ctx) => {
      if (ctx.path === '/login') {
        await ctx.login(ADA)
        ctx.body = ''
      } else if (ctx.isAuthenticated()) ctx.body = `Hello ${ctx.state.user.name}`
      else ctx.redirect('/login')
    })
    return createServer(app.callback() as never)
  },
}

type Done = (error: null, user: unknown) => void

async function kitOptions({ issuer, baseUrl, redisPort }: KitSettings) {
  const { createSessionStore } = await import('@latchkey/session-store')
  return {
    issuer,
    clientId: client.id,
    clientSecret: client.secret,
    baseUrl,
    session: {
      secret: sessionSecret,
      store: redisPort ? createSessionStore({ url: `redis://127.0.0.1:${redisPort}` }) : undefined,
    },
  }
}

async function serveHono(app: { fetch(request: Request): Response | Promise<Response> }) {
  const { createAdaptorServer } = await import('@hono/node-server')
  return createAdaptorServer(app) as Server
}

async function redisClient({ redisPort }: KitSettings) {
  const { createClient } = await import('redis')
  return createClient({ url: `redis://127.0.0.1:${redisPort}` }).connect()
}

async function expressStore(settings: KitSettings): Promise<unknown> {
  const { RedisStore } = await import('connect-redis')
  return new RedisStore({ client: await redisClient(settings) })
}

/** As the README of koa-session has a store. */
async function koaRedisStore(settings: KitSettings): Promise<object> {
  const redis = await redisClient(settings)
  return {
    get: async (key: string) => JSON.parse((await redis.get(key)) ?? 'null'),
    set: (key: string, session: object, maxAge: number) =>
      redis.set(key, JSON.stringify(session), { expiration: { type: 'PX', value: maxAge } }),
    destroy: (key: string) => redis.del(key),
  }
}

function koaMemoryStore(): object {
  const sessions = new Map<string, string>()
  return {
    get: async (key: string) => JSON.parse(sessions.get(key) ?? 'null'),
    set: async (key: string, session: object) => sessions.set(key, JSON.stringify(session)),
    destroy: async (key: string) => sessions.delete(key),
  }
}
