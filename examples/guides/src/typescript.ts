// #region types
import {
  type AuthOptions,
  createAuthRouter,
  getUser,
  LatchkeyError,
  type RequestAuth,
  requireUser,
  type User,
} from '@latchkey/express'
import type { ErrorRequestHandler, Express } from 'express'
import express from 'express'

// #endregion

// #region user
declare module '@latchkey/express' {
  interface User {
    plan?: 'free' | 'gold'
  }
}
// #endregion

/** An application that types its users and its errors. */
export function createTypedApp(connection: AuthOptions): Express {
  const app = express()
  app.use(createAuthRouter(connection))

  // #region union
  app.get('/', (req, res) => {
    const { auth } = req
    // `auth.user` is `User | undefined` here, and `User` once `isAuthenticated` was checked.
    res.type('text').send(auth.isAuthenticated ? `Hello ${auth.user.email}` : 'Hello')
  })
  // #endregion

  // #region helper
  const planOf = (user: User): string => user.plan ?? 'free'
  const isGold = (auth: RequestAuth): boolean => auth.isAuthenticated && auth.user.plan === 'gold'

  app.get('/plan', requireUser(), (req, res) => {
    res.json({ plan: planOf(getUser(req)), gold: isGold(req.auth) })
  })
  // #endregion

  // #region errors
  const onError: ErrorRequestHandler = (error, _req, res, next) => {
    if (!(error instanceof LatchkeyError)) return next(error)
    res.status(error.status).json({ code: error.code }) // `code` is a union of all codes
  }
  app.get('/token', async (req, res) => {
    res.json({ length: (await req.auth.accessToken()).length })
  })
  app.use(onError)
  // #endregion
  return app
}
