import { createRequire } from 'node:module'
import {
  ADA,
  type Applications,
  DAY_SECONDS,
  expressStore,
  kitOptions,
  sessionSecret,
} from '../../../bench/parts/adapter-parts.ts'

// Their declarations would change the types of every request of the repository.
const require = createRequire(import.meta.url)

export const plugin = '@fastify/passport'

export const applications: Applications = {
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
}
