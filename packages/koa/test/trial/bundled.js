import { createAuth, requireUser } from '@latchkey/koa'
import Koa from 'koa'
import { listening, options, port } from '../../../../test/bundles/applications/settings.js'

const app = new Koa()
app.use(createAuth(options))
app.use(requireUser())
app.use((ctx) => {
  ctx.body = ctx.state.auth.user.plan
})
app.listen(port, listening)
