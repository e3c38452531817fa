import { createAuth, requireUser } from '@latchkey/hono'
import { Hono } from 'hono'
import { type App, type Client, claims, session } from '../../../../test/tarballs/client.ts'

export function create(client: Client): App {
  return new Hono()
    .use(createAuth({ ...client, claims, session }))
    .get('/plan', requireUser(), (c) => {
      // @ts-expect-error No user may be logged in.
      const { plan } = c.var.auth.user
      // @ts-expect-error The schema knows no such plan.
      return c.text(c.var.auth.isAuthenticated && c.var.auth.user.plan === 'silver' ? '' : plan)
    })
}
