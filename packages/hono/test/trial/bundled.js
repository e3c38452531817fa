import { createServer } from 'node:http'
import { createAuth, requireUser } from '@latchkey/hono'
import { Hono } from 'hono'
import { listening, options, port } from '../../../../test/bundles/applications/settings.js'
import { serve } from '../../../../test/bundles/applications/web.js'

const app = new Hono()
  .use(createAuth(options))
  .get('/plan', requireUser(), (c) => c.text(c.var.auth.user.plan))
createServer(serve(app.fetch)).listen(port, listening)
