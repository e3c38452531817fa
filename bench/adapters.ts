import { type Entry, openContest } from './parts/contest.ts'

/**
 * The cost of an adapter beside its framework with the session and login plugins that are usual
 * there: CPU of the application for a page that is for logged-in people, with sessions in the
 * process and in Redis. `@hono/oidc-auth` keeps its session in a signed cookie and knows no store.
 */
const PEERS: Record<string, string> = {
  'latchkey/fastify': '@fastify/passport',
  'latchkey/hono': '@hono/oidc-auth',
  'latchkey/koa': 'koa-passport',
}
const BARE: Record<string, string> = {
  fastify: '@fastify/passport',
  hono: '@hono/oidc-auth',
  koa: 'koa-passport',
}

const pairs = Object.entries(PEERS).flatMap(([name, floor]): Entry[] => [
  { name: floor, floor },
  { name, floor },
])
const bare = Object.entries(BARE).map(([name, floor]) => ({ name, floor, isOpen: true }))

const contest = await openContest('adapter')
await contest.run('memory', [...pairs, ...bare], ['logged in'])
await contest.run('Redis', pairs, ['logged in'])
await contest.close()
