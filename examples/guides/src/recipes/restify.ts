import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type AuthOptions, createAuth, type User, type Visit } from '@latchkey/core'
import { nodePlatform, serveNode } from '@latchkey/core/node'
import restify from 'restify'

// #region app
export function createApp(options: AuthOptions = {}): { readonly server: Server } {
  const auth = createAuth(options, nodePlatform())
  const visits = new WeakMap<IncomingMessage, Visit<User, void>>()
  const visitOf = (req: IncomingMessage) => visits.get(req) as Visit<User, void>
  const app = restify.createServer()

  // pre(): also for addresses that have no route, such as those of the login.
  app.pre((req: IncomingMessage, res: ServerResponse, next: (result?: unknown) => void) => {
    const serve = async (): Promise<boolean> => {
      let passes = false
      await serveNode(auth, req, res, (visit) => {
        passes = true
        visits.set(req, visit)
      })
      return passes
    }
    serve().then((passes) => next(passes ? undefined : false), next)
  })
  app.get('/', async (req: IncomingMessage, res: ServerResponse) => {
    res.end(visitOf(req).auth.isAuthenticated ? 'Welcome back' : 'Welcome')
  })
  app.get('/account', async (req: IncomingMessage, res: ServerResponse) => {
    const visit = visitOf(req)
    const refusal = await visit.admit()
    if (refusal) return visit.send(refusal)
    res.end(`Logged in as ${visit.user().email}`)
  })
  return app
}
// #endregion
