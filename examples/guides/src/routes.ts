import {
  type AuthOptions,
  createAuthRouter,
  DeniedError,
  getUser,
  type LatchkeyError,
  requireUser,
} from '@latchkey/express'
import express, { type Express } from 'express'
import { z } from 'zod'
import { findOrCreateAccount } from './accounts.ts'

/** An application that has changed most options of its routes. */
export function createRoutesApp(options: AuthOptions): Express {
  const app = express()

  // #region rename
  const routes = {
    login: '/auth/login',
    callback: '/auth/callback',
    logout: '/auth/logout',
    session: false, // no single-page application here
  } as const
  // #endregion

  // #region texts
  const texts = {
    de: { stayLoggedIn: 'Doch nicht' },
    fr: {
      logIn: 'Se connecter',
      errors: {
        LATCHKEY_FORBIDDEN: { title: 'Accès refusé', advice: 'Demandez un accès à votre équipe.' },
      },
    },
  }
  // #endregion
  const connection = { ...options, texts }

  // #region hooks
  const hooks: AuthOptions['hooks'] = {
    // After every check, before there is a session.
    async afterCallback({ issuer, user }) {
      const account = await findOrCreateAccount(issuer, user)
      if (account.isBanned) throw new DeniedError('the account is banned')
      return { user: { ...user, accountId: account.id } }
    },
    onError: errorPage,
  }
  // #endregion

  // #region claims
  const claims = z.looseObject({
    sub: z.string(),
    email: z.email(),
    roles: z.array(z.string()).default([]),
  })
  // #endregion

  // #region typed
  const auth = createAuthRouter({ ...connection, routes, hooks, claims })
  app.use(auth)

  app.get('/mail', requireUser(), (req, res) => {
    const user = auth.getUser(req) // { sub: string, email: string, roles: string[] }
    res.type('text').send(user.email.toLowerCase())
  })
  // #endregion

  // #region buttons
  app.get('/', (req, res) => {
    res.send(
      req.auth.isAuthenticated
        ? '<form method="post" action="/auth/logout"><button>Log out</button></form>'
        : '<a href="/auth/login?returnTo=/mail">Log in</a>',
    )
  })
  // #endregion

  // #region programmatic
  app.get('/join', async (req, res) => {
    if (req.auth.isAuthenticated) return res.redirect('/mail')
    await req.auth.login({ prompt: 'create', returnTo: '/mail' })
  })
  // #endregion

  app.get('/account-id', requireUser(), (req, res) => {
    res.json(getUser(req).accountId)
  })
  return app
}

// #region error-page
/** Answers a failed login with a page of the application. */
export function errorPage(error: LatchkeyError): Response | undefined {
  if (error.code !== 'LATCHKEY_LOGIN_DENIED') return undefined // the page of the kit
  return new Response('<h1>You were not logged in</h1><p><a href="/">Home</a></p>', {
    status: error.status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
  })
}
// #endregion
