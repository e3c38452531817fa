import { type AuthOptions, createAuth, getUser, requireUser } from '@latchkey/hono'
import { Hono } from 'hono'

/** Makes an application of Hono whose users log in, with the settings of the environment. */
// #region application
export function createApplication(session: NonNullable<AuthOptions['session']> = {}) {
  return new Hono()
    .use(createAuth({ session }))
    .get('/', (c) => c.json({ user: c.var.auth.user ?? null }))
    .get('/account', requireUser(), (c) => c.json(getUser(c)))
    .post('/account', requireUser(), async (c) => c.json(await c.req.json()))
}
// #endregion application
