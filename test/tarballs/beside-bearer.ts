import { createAuthRouter, getAuth, getUser, requireUser } from '@latchkey/express'
import express, { type Express, type Request } from 'express'
import { auth as bearer } from 'express-oauth2-jwt-bearer'
import type { Client } from './client.ts'

/** An application whose `req.auth` belongs to express-oauth2-jwt-bearer. */
export function create(client: Client): Express {
  const app = express()
  app.use(
    createAuthRouter({
      ...client,
      session: { secret: 'a secret of tests that protects nothing' },
    }),
  )
  app.use(bearer({ issuerBaseURL: client.issuer, audience: 'api', authRequired: false }))
  app.get('/plan', requireUser({ check: (user) => user.plan === 'gold' }), (req, res) => {
    const theirs: string | undefined = req.auth?.token
    res.send(getAuth(req).isAuthenticated && !theirs ? planOf(req) : 'nobody')
  })
  return app
}

function planOf(req: Request): string {
  return String(getUser(req).plan)
}
