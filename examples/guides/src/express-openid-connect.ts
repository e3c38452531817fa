import { type AuthOptions, createAuthRouter, DeniedError, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'
import type {} from 'express-session' // the types of req.session

declare module 'express-session' {
  interface SessionData {
    coupon: string
  }
}

/** The parts of express-openid-connect that take more than another name. */
export function fromOtherParts(
  connection: AuthOptions,
  fetchPlan: (accessToken: string) => Promise<string>,
): Express {
  const app = express()
  // #region hooks
  app.use(
    createAuthRouter({
      ...connection,
      session: { ...connection.session, keepAnonymousData: ['coupon'] },
      hooks: {
        async afterCallback({ user, accessToken }) {
          if (user.email_verified !== true) throw new DeniedError('the address is not verified')
          return { user: { ...user, plan: await fetchPlan(accessToken) } }
        },
        // Every error of the kit, a refusal by a guard included.
        onError(error, _request, { res }) {
          if (error.code !== 'LATCHKEY_USER_REFUSED') return undefined // the page of the kit
          res.status(error.status).send('<h1>Please confirm your address first</h1>')
          return 'answered'
        },
      },
    }),
  )
  // #endregion

  // #region guards
  // claimEquals('email_verified', true)
  app.get('/invite', requireUser({ claims: { email_verified: true } }), (_req, res) => {
    res.send('Invited')
  })

  // claimIncludes('permissions', 'read', 'write')
  app.get(
    '/notes',
    requireUser({ claims: { permissions: includes('read', 'write') } }),
    (_req, res) => {
      res.send('Notes')
    },
  )

  // claimCheck((req, claims) => claims.team === req.params.team)
  const ofTeam = requireUser({ check: (user, req) => user.team === req.params.team })
  app.get('/teams/:team', ofTeam, (req, res) => {
    res.type('text').send(`Team ${req.params.team}`)
  })

  /** All of these are in the claim, which is a list or words with spaces between them. */
  function includes(...wanted: string[]) {
    return (held: unknown): boolean => {
      const values: unknown[] = typeof held === 'string' ? held.split(' ') : [held].flat()
      return wanted.every((one) => values.includes(one))
    }
  }
  // #endregion

  // #region login
  app.get('/join', async (req) => {
    // getLoginState: () => ({ returnTo: '/welcome', coupon })
    req.session.coupon = String(req.query.coupon)
    // res.oidc.login({ returnTo, authorizationParams: { prompt, max_age, login_hint } })
    await req.auth.login({
      returnTo: '/welcome',
      prompt: 'login',
      maxAge: 300,
      parameters: { login_hint: 'ada@example.com' },
    })
  })

  app.get('/welcome', requireUser(), (req, res) => {
    res.json({ coupon: req.session.coupon, plan: req.auth.user?.plan })
  })
  // #endregion
  return app
}
