import { type AuthOptions, createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'
import { findOrCreateAccount } from './accounts.ts'

/** The replacement of `auth({ … })` of express-openid-connect. */
export function fromExpressOpenidConnect(connection: AuthOptions): Express {
  const app = express()
  // #region express-openid-connect
  app.use(
    createAuthRouter({
      ...connection, // issuer, clientId, clientSecret, baseUrl, session.secret
      scope: 'openid profile email offline_access',
      authorizationParams: { audience: 'https://api.example.com' },
      userinfo: 'login',
    }),
  )

  app.get('/', (req, res) => {
    res.send(req.auth.isAuthenticated ? 'Logged in' : 'Logged out')
  })

  app.use(requireUser()) // authRequired: true, for everything below

  app.get('/admin', requireUser({ claims: { role: 'admin' } }), (_req, res) => {
    res.send('claimEquals("role", "admin")')
  })
  // #endregion
  return app
}

/** The replacement of a strategy and its routes of passport-openidconnect. */
export function fromPassportOpenidconnect(connection: AuthOptions): Express {
  const app = express()
  // #region passport-openidconnect
  app.use(
    createAuthRouter({
      ...connection,
      hooks: {
        // The verify function: what it returns is the user.
        async afterCallback({ issuer, user }) {
          return { user: { ...user, account: await findOrCreateAccount(issuer, user) } }
        },
      },
    }),
  )

  app.get('/profile', requireUser(), (req, res) => {
    res.json(getUser(req)) // req.user
  })
  // #endregion
  return app
}

/** The replacement of `keycloak.protect()`. */
export function fromKeycloakConnect(connection: AuthOptions): Express {
  const app = express()
  // #region keycloak-connect
  app.use(createAuthRouter({ ...connection, rolesFrom: keycloakRoles }))

  app.get('/complain', requireUser(), (_req, res) => {
    res.send('keycloak.protect()')
  })

  app.get('/special', requireUser({ roles: ['realm:special'] }), (_req, res) => {
    res.send('keycloak.protect("realm:special")')
  })

  app.get('/orders', requireUser({ roles: ['shop:clerk'] }), (_req, res) => {
    res.send('keycloak.protect("shop:clerk")')
  })
  // #endregion
  return app
}

/** The replacement of `bearer-only` in `keycloak.json`. */
export function fromBearerOnly(connection: AuthOptions): Express {
  const app = express()
  // #region keycloak-bearer
  app.use(
    createAuthRouter({
      ...connection,
      rolesFrom: keycloakRoles,
      bearer: { audience: 'shop', introspection: true },
    }),
  )

  const clerk = requireUser({ accept: ['bearer'], roles: ['shop:clerk'] })
  app.get('/api/orders', clerk, (_req, res) => {
    res.json({ orders: [] })
  })
  // #endregion
  return app
}

// #region keycloak-roles
interface Access {
  roles?: string[]
}

/** Roles of the realm as `realm:name`, those of a client as `client:name`. */
function keycloakRoles(user: Readonly<Record<string, unknown>>): string[] {
  const realm = user.realm_access as Access | undefined
  const clients = user.resource_access as Record<string, Access> | undefined
  const named = (prefix: string, { roles = [] }: Access = {}): string[] =>
    roles.map((role) => `${prefix}:${role}`)
  return [
    ...named('realm', realm),
    ...Object.entries(clients ?? {}).flatMap(([client, access]) => named(client, access)),
  ]
}
// #endregion

/** The replacement of `ExpressAuth({ … })` of @auth/express. */
export function fromAuthJs(connection: AuthOptions): Express {
  const app = express()
  // #region auth-js
  app.use(
    createAuthRouter({
      ...connection,
      routes: { callback: '/auth/callback/acme' }, // the redirect URL that you registered
      hooks: {
        // callbacks.jwt and callbacks.session
        async afterCallback({ issuer, user }) {
          return { user: { ...user, account: await findOrCreateAccount(issuer, user) } }
        },
      },
    }),
  )

  app.get('/profile', requireUser(), (req, res) => {
    res.json(getUser(req)) // (await getSession(req, config))?.user
  })
  // #endregion
  return app
}

/** The replacement of `clerkMiddleware()` and `requireAuth()` of @clerk/express. */
export function fromClerk(connection: AuthOptions): Express {
  const app = express()
  // #region clerk
  app.use(createAuthRouter(connection)) // clerkMiddleware()

  app.get('/settings', requireUser(), (req, res) => {
    res.json({ userId: getUser(req).sub }) // getAuth(req).userId
  })

  app.get('/billing', requireUser({ roles: ['admin'] }), (_req, res) => {
    res.send('getAuth(req).has({ role: "org:admin" })')
  })
  // #endregion
  return app
}

/** The replacement of a better-auth with `genericOAuth()`. */
export function fromBetterAuth(connection: AuthOptions): Express {
  const app = express()
  // #region better-auth
  app.use(
    createAuthRouter({
      ...connection,
      routes: { callback: '/api/auth/callback/acme' }, // the redirect URL that you registered
      hooks: {
        // databaseHooks.user.create
        async afterCallback({ issuer, user }) {
          return { user: { ...user, account: await findOrCreateAccount(issuer, user) } }
        },
      },
    }),
  )

  app.get('/me', requireUser({ respond: 'json' }), (req, res) => {
    res.json(getUser(req)) // (await auth.api.getSession({ headers })).user
  })
  // #endregion
  return app
}
