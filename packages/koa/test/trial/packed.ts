import { createAuth, type RequestAuth, requireUser, type UserOf } from '@latchkey/koa'
import Koa from 'koa'
import { type App, type Client, claims, session } from '../../../../test/tarballs/client.ts'

type Member = UserOf<typeof claims>

export function create(client: Client): App {
  const app = new Koa<{ auth: RequestAuth<Member> }>()
  app.use(createAuth({ ...client, claims, session }))
  app.use(requireUser())
  app.use((ctx) => {
    // @ts-expect-error No user may be logged in.
    const { plan } = ctx.state.auth.user
    // @ts-expect-error The schema knows no such plan.
    ctx.body = ctx.state.auth.isAuthenticated && ctx.state.auth.user.plan === 'silver' ? '' : plan
  })
  return app
}
