import Router from '@koa/router'
import { accountPage, homePage } from '@latchkey/example-shared'
import { type AuthOptions, createAuth, getAuth, getUser, requireUser } from '@latchkey/koa'
import Koa from 'koa'

export function createApp(options: AuthOptions): Koa {
  const app = new Koa()
  const router = new Router()

  // Adds /login, /callback and /logout, and `ctx.state.auth` to every other request.
  app.use(createAuth(options))

  router.get('/', (ctx) => {
    ctx.body = homePage('Koa', getAuth(ctx).user)
  })

  // Visitors who aren't logged in are sent to log in, then returned here.
  router.get('/account', requireUser(), (ctx) => {
    ctx.body = accountPage('Koa', getUser(ctx), getAuth(ctx).session)
  })

  app.use(router.routes())
  return app
}
