import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import {
  ADA,
  type Applications,
  DAY_SECONDS,
  kitOptions,
  redisClient,
  sessionSecret,
} from '../../../bench/parts/adapter-parts.ts'
import type { KitSettings } from '../../../bench/parts/kits.ts'

// Their declarations would change the types of every request of the repository.
const require = createRequire(import.meta.url)

export const plugin = 'koa-passport'

export const applications: Applications = {
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

/** A store over Redis for koa-session, in the form that its README shows. */
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
