import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express, { type Express, type Request } from 'express'
import { claims, type Plan } from '../../../../test/tarballs/claims.ts'

export function create(): Express {
  const app = express()
  app.use(createAuthRouter({ claims, rolesFrom: ({ roles }) => roles }))
  // #region typed
  app.get('/hello', (req, res) => {
    res.type('text').send(req.auth.isAuthenticated ? `Hello ${req.auth.user.email}` : 'Hello')
  })
  app.get('/plan', requireUser({ roles: ['admin'] }), (req, res) => {
    res.json(getUser(req).plan) // 'free' | 'gold'
  })
  // #endregion
  app.get('/all', (req, res) => {
    const plan: Plan = getUser(req).plan
    res.send(`${plan} ${planOf(req)}`)
  })
  // @ts-expect-error The schema knows no such role.
  app.get('/admin', requireUser({ roles: ['admn'] }))
  return app
}

function planOf(req: Request): Plan | undefined {
  // @ts-expect-error The schema knows no such claim.
  if (req.auth.isAuthenticated && req.auth.user.nickname) return undefined
  return req.auth.isAuthenticated ? req.auth.user.plan : undefined
}
