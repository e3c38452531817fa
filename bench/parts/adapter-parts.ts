import type { Server } from 'node:http'
import type { KitSettings } from './kits.ts'

/**
 * An application without a login, on the kit and on the login plugin that is usual under its framework: `/page` is for
 * logged-in people and says their name. A login of a plugin writes the session that it would, without a provider: what is
 * measured is the page.
 */
export type Applications = Readonly<Record<string, (settings: KitSettings) => Promise<Server>>>

export const client = { id: 'app', secret: 'client-secret-0123456789-client-secret' }
export const sessionSecret = 'session-secret-0123456789-session-secret'
export const DAY_SECONDS = 86_400
/** The user as the login plugins of passport keep it in the session. */
export const ADA = { sub: 'ada', name: 'Ada', email: 'ada@example.com' }

export async function kitOptions({ issuer, baseUrl, redisPort }: KitSettings) {
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

export async function redisClient({ redisPort }: KitSettings) {
  const { createClient } = await import('redis')
  return createClient({ url: `redis://127.0.0.1:${redisPort}` }).connect()
}

/** A store over Redis, in the form that express-session and `@fastify/session` take. */
export async function expressStore(settings: KitSettings): Promise<unknown> {
  const { RedisStore } = await import('connect-redis')
  return new RedisStore({ client: await redisClient(settings) })
}
