import {
  type AuthOptions,
  createAuthRouter,
  getAuth,
  getUser,
  requireUser,
} from '@latchkey/express'
import express, { type Express } from 'express'

/** Notes for pages of this site, by session, and for programs, by access token. */
export function createApp(connection: AuthOptions): Express {
  const notes = new Map<string, string[]>()
  // #region router
  const app = express()
  app.use(createAuthRouter({ ...connection, bearer: { audience: 'https://api.example' } }))
  // #endregion

  // #region guards
  const reads = requireUser({ accept: ['session', 'bearer'], scopes: ['notes:read'] })
  app.get('/api/notes', reads, (req, res) => {
    res.json({ notes: notes.get(getUser(req).sub) ?? [] })
  })

  const writes = requireUser({ accept: ['bearer'], scopes: ['notes:write'] })
  app.post('/api/notes', writes, express.json(), (req, res) => {
    const { sub } = getUser(req)
    notes.set(sub, [...(notes.get(sub) ?? []), String(req.body.text)])
    res.status(201).json({ until: getAuth(req).session?.expiresAt })
  })
  // #endregion
  return app
}

/** Another application, which shows its users the notes of that API. */
export function createCaller(connection: AuthOptions, api: string): Express {
  // #region caller
  const app = express()
  const forApi = { resource: 'https://api.example' }
  app.use(
    createAuthRouter({
      ...connection,
      scope: 'openid profile email offline_access notes:read',
      authorizationParams: forApi,
      tokenParams: forApi,
    }),
  )
  app.get('/notes', requireUser(), async (req, res) => {
    const authorization = `Bearer ${await getAuth(req).accessToken()}`
    const answer = await fetch(`${api}/api/notes`, { headers: { authorization } })
    res.status(answer.status).send(await answer.text())
  })
  // #endregion
  return app
}
