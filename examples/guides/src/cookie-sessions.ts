import { type AuthOptions, createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'

/** A site without a session store. */
export function createApp(connection: AuthOptions): Express {
  const { secret } = connection.session ?? {}
  // #region cookie
  const auth = createAuthRouter({
    ...connection,
    session: { secret, store: 'cookie' },
    hooks: {
      // The ID token is needed for the provider's logout alone, and tokens for APIs alone.
      onSession: ({ idToken, tokens, ...session }) => session,
    },
  })
  // #endregion
  const app = express()
  app.use(auth)
  app.get('/account', requireUser(), (req, res) => {
    res.type('text').send(`Hello ${getUser(req).sub}`)
  })
  return app
}
