import {
  type AuthOptions,
  createAuthRouter,
  getUser,
  isApiRequest,
  requireUser,
} from '@latchkey/express'
import express, { type Express } from 'express'
import { accessPage, deletePage, homePage, publishPage, refusedPage, reviewPage } from './pages.ts'
import { rolesOf } from './roles.ts'

/** An editorial office: some users may publish, and destructive actions ask for the password again. */
export function createApp(auth: AuthOptions): Express {
  const app = express()
  app.use(
    createAuthRouter({
      ...auth,
      hooks: {
        // After every check and before there is a session: the roles become part of the user.
        afterCallback: ({ user }) => ({ user: { ...user, roles: rolesOf(user) } }),
        // Every other error keeps the page of the kit; programs keep their problem details.
        onError(error, request) {
          if (error.code !== 'LATCHKEY_FORBIDDEN' || isApiRequest(request)) return undefined
          const headers = { 'content-type': 'text/html; charset=utf-8' }
          return new Response(refusedPage(), { status: error.status, headers })
        },
      },
    }),
  )

  app.get('/', (req, res) => {
    res.send(homePage(req.auth))
  })

  // One of the roles is enough.
  app.get('/publish', requireUser({ roles: ['editor', 'publisher'] }), (req, res) => {
    res.send(publishPage(getUser(req)))
  })

  // Any rule that can be written down; it may be asynchronous and look at the request.
  const worksHere = (user: Readonly<Record<string, unknown>>): boolean =>
    String(user.email).endsWith('@example.com')
  app.get('/review', requireUser({ roles: ['author'], check: worksHere }), (req, res) => {
    res.send(reviewPage(getUser(req)))
  })

  // A user who logged in more than a minute ago logs in again, once, and comes back here.
  app.get('/delete', requireUser({ maxAge: 60 }), (req, res) => {
    res.send(deletePage(getUser(req), req.auth.session))
  })

  // The session's facts, for the curious.
  app.get('/access', requireUser(), (req, res) => {
    res.send(accessPage(getUser(req), req.auth.session))
  })
  return app
}
