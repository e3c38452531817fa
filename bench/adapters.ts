import { plugins } from './parts/adapters.ts'
import { type Entry, openContest } from './parts/contest.ts'

/**
 * The cost of an adapter beside its framework with the session and login plugins that are usual
 * there: CPU of the application for a page that is for logged-in people, with sessions in the
 * process and in Redis. `@hono/oidc-auth` keeps its session in a signed cookie and knows no store.
 */
const pairs = Object.entries(plugins).flatMap(([framework, floor]): Entry[] => [
  { name: floor, floor },
  { name: `latchkey/${framework}`, floor },
])
const bare = Object.entries(plugins).map(([name, floor]) => ({ name, floor, isOpen: true }))

const contest = await openContest('adapter')
await contest.run('memory', [...pairs, ...bare], ['logged in'])
await contest.run('Redis', pairs, ['logged in'])
await contest.close()
