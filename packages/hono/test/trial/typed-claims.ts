import { createAuth, requireUser } from '@latchkey/hono'
import { Hono } from 'hono'
import { claims, type Plan } from '../../../../test/tarballs/claims.ts'

export function create(): Pick<Hono, 'fetch'> {
  return new Hono()
    .use(createAuth({ claims }))
    .get('/plan', requireUser({ roles: ['viewer'] }), (c) => {
      const plan: Plan | undefined = c.var.auth.user?.plan
      return c.text(plan ?? 'free')
    })
}
