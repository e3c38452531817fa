import { createAuth, getUser, requireUser } from '@latchkey/hono'
import { Hono } from 'hono'

/** Bun and Deno serve what the main module exports so, at the port of the environment. */
const app = new Hono()
  .use(createAuth())
  .get('/', (c) => c.json({ user: c.var.auth.user ?? null }))
  .get('/account', requireUser(), (c) => c.json(getUser(c)))
  .post('/account', requireUser(), async (c) => c.json(await c.req.json()))

export default { port: Number(process.env.PORT), hostname: '127.0.0.1', fetch: app.fetch }
