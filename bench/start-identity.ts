import { createServer } from 'node:http'
import { performance } from 'node:perf_hooks'
import { median, row } from './parts/numbers.ts'

/**
 * The time that `@latchkey/testing` adds to a test: its import, an identity, a user, and signing
 * them in.
 */

const ROUNDS = 20

async function timed<T>(work: () => Promise<T>): Promise<[ms: number, result: T]> {
  const begin = performance.now()
  const result = await work()
  return [performance.now() - begin, result]
}

const [imported, { logIn, startIdentity }] = await timed(() => import('@latchkey/testing'))
const { createAuthRouter } = await import('@latchkey/express')
const { default: express } = await import('express')

const figures: Record<'start' | 'user' | 'first' | 'next', number[]> = {
  start: [],
  user: [],
  first: [],
  next: [],
}
for (let round = 0; round < ROUNDS; round++) {
  const [start, identity] = await timed(() => startIdentity())
  const [user, ada] = await timed(() => identity.createUser())
  const server = createServer(express().use(createAuthRouter(identity.clientOptions())))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const [first] = await timed(() => logIn(server, ada))
  const [next] = await timed(() => logIn(server, ada))
  figures.start.push(start)
  figures.user.push(user)
  figures.first.push(first)
  figures.next.push(next)
  server.close()
  await identity.close()
}

console.log(row('import, once per process, ms', imported))
console.log(row('startIdentity(), first, ms', figures.start[0] ?? 0))
console.log(row('startIdentity(), ms', median(figures.start)))
console.log(row('createUser(), ms', median(figures.user)))
console.log(row('logIn(), first of an identity, ms', median(figures.first)))
console.log(row('logIn(), ms', median(figures.next)))
