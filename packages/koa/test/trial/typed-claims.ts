import { getUser, type RequestAuth, requireUser } from '@latchkey/koa'
import Koa from 'koa'
import type { Plan } from '../../../../test/tarballs/claims.ts'

export function create(): Koa<{ auth: RequestAuth }> {
  const app = new Koa<{ auth: RequestAuth }>()
  app.use(requireUser({ roles: ['viewer'] }))
  app.use((ctx) => {
    const plan: Plan = getUser(ctx).plan
    ctx.body = ctx.state.auth.user?.plan === plan
  })
  return app
}
