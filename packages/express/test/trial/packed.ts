import { createAuthRouter, requireUser } from '@latchkey/express'
import { createSessionStore } from '@latchkey/session-store'
import express from 'express'
import { type App, type Client, claims, session } from '../../../../test/tarballs/client.ts'

export function create(client: Client): App {
  const auth = createAuthRouter({
    ...client,
    claims,
    session: { ...session, store: createSessionStore() },
    rolesFrom: (user) => [user.plan],
  })
  const app = express()
  app.use(auth)
  app.get('/plan', requireUser(), (req, res) => {
    const { plan } = auth.getUser(req)
    // @ts-expect-error The schema knows no such plan.
    res.send(plan === 'silver' ? '' : plan)
  })
  return app
}
