import { createHmac } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type AuthSession, createAuth, type SessionStore } from '@latchkey/core'
import { storedSessionsOf } from '@latchkey/core/internal'
import { createAuthRouter, requireUser } from '@latchkey/express'
import { createSessionStore } from '@latchkey/session-store'
import { RedisStore } from 'connect-redis'
import express from 'express'
import expressSession, { type Store } from 'express-session'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { serveCommands } from '../parts/child.ts'

/** A page for logged-in people over one kind of session store: `sessions.ts KIND REDIS_PORT`. */
const [kind, redisPort] = process.argv.slice(2)
const url = `redis://127.0.0.1:${redisPort}`
const secret = 'session-secret-0123456789-session-secret'
const now = Math.floor(Date.now() / 1000)

const session = (n: number): AuthSession => ({
  issuer: 'https://login.example.com',
  registeredIssuer: 'https://login.example.com/',
  clientId: 'app',
  sub: `user-${n}`,
  sid: `sid-${n}`,
  user: { sub: `user-${n}`, name: `Name of ${n}`, email: `user-${n}@example.com` },
  createdAt: now,
  expiresAt: now + 86_400,
  idToken: `header.${'p'.repeat(500)}.${'s'.repeat(342)}`,
  tokens: { accessToken: 'a'.repeat(43), refreshToken: 'r'.repeat(43), scope: 'openid profile' },
})

const app = express()
let seed: (n: number) => Promise<string>

async function latchkey(store: SessionStore): Promise<void> {
  const options = {
    issuer: 'https://login.example.com',
    clientId: 'app',
    clientSecret: 'client-secret',
    baseUrl: 'http://127.0.0.1',
    session: { secret, store },
  }
  const storedSessions = storedSessionsOf(createAuth(options))
  app.use(createAuthRouter(options))
  app.get('/', requireUser(), (req, res) => void res.send(`Hello ${req.auth.user?.name}`))
  seed = async (n) => {
    const opened = await storedSessions.open(undefined, {}, (session) => session)
    await opened.start(session(n))
    return opened.setCookies[0]?.split(';')[0] as string
  }
}

async function expressSessions(store: Store): Promise<void> {
  app.use(expressSession({ secret, store, resave: false, saveUninitialized: false }))
  app.get('/', (req, res) => {
    const { login } = req.session as unknown as { login?: AuthSession }
    if (!login) return void res.status(401).end()
    res.send(`Hello ${login.user.name}`)
  })
  seed = async (n) => {
    const id = `${n}`.padStart(32, 'i')
    const signature = createHmac('sha256', secret).update(id).digest('base64').replace(/=+$/, '')
    const cookie = { originalMaxAge: 86_400_000, expires: new Date(Date.now() + 86_400_000) }
    await store.set(id, { cookie, login: session(n) } as never)
    return `connect.sid=${encodeURIComponent(`s:${id}.${signature}`)}`
  }
}

const connectRedis = (client: unknown): Promise<void> =>
  expressSessions(new RedisStore({ client, prefix: 'sess:' }))

/** The commands that connect-redis sends, over ioredis. */
function asNodeRedis(redis: Redis): unknown {
  return {
    get: (key: string) => redis.get(key),
    set: (key: string, value: string, { expiration }: { expiration: { value: number } }) =>
      redis.set(key, value, 'EX', expiration.value),
    expire: (key: string, seconds: number) => redis.expire(key, seconds),
    del: (keys: string[]) => redis.del(...keys),
  }
}

const kinds: Record<string, () => Promise<void>> = {
  'the kit, ioredis by its url': () => latchkey(createSessionStore({ url })),
  'the kit, node-redis': async () =>
    latchkey(createSessionStore({ client: await createClient({ url }).connect() })),
  'express-session, our store': () =>
    expressSessions(createSessionStore({ url, secret }).forExpressSession()),
  'connect-redis, node-redis': async () => connectRedis(await createClient({ url }).connect()),
  'connect-redis, ioredis': () => connectRedis(asNodeRedis(new Redis(url))),
}
await kinds[kind ?? '']?.()

const server = app.listen(0, '127.0.0.1', () => {
  serveCommands(
    (server.address() as AddressInfo).port,
    {
      async seed({ from, count }: { from: number; count: number }) {
        const cookies: string[] = []
        for (let n = from; n < from + count; n += 100) {
          const some = Array.from({ length: Math.min(100, from + count - n) }, (_, i) =>
            seed(n + i),
          )
          cookies.push(...(await Promise.all(some)))
        }
        return cookies.slice(0, 1000)
      },
    },
    async () => {
      server.closeAllConnections()
      server.close()
      process.exit()
    },
  )
})
