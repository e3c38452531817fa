import { afterAll, expect } from 'vitest'
import { endFile } from './file-end.ts'
import { watchForLeaks } from './watch-for-leaks.ts'

/** Files in which the kit runs alone: their secrets are known, so everything can be searched for them. */
const OF_KIT = /packages\/(core|express|fastify|hono|koa)\/test\/|\/test\/kit-/

// Vitest runs this before each file, also before those that share the modules of a worker.
afterAll(endFile)
if (OF_KIT.test(expect.getState().testPath ?? '')) watchForLeaks()
