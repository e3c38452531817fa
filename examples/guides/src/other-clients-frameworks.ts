import fastifyOauth2, { type OAuth2Namespace } from '@fastify/oauth2'
import {
  getAuth,
  initOidcAuthMiddleware,
  oidcAuthMiddleware,
  processOAuthCallback,
} from '@hono/oidc-auth'
import { ExpressOIDC } from '@okta/oidc-middleware'
import { betterAuth } from 'better-auth'
import { genericOAuth } from 'better-auth/plugins'
import Fastify, { type FastifyInstance } from 'fastify'
import { Hono } from 'hono'
import type { Registered } from './other-clients.ts'

// How the clients of frameworks log in at the service. docs/guides/other-clients.md quotes it, and a test logs in with it.

/** An application with @fastify/oauth2. */
export async function fastifyApp({
  issuer,
  clientId,
  clientSecret,
  baseUrl,
}: Registered): Promise<FastifyInstance> {
  const app = Fastify()
  // #region fastify-oauth2
  await app.register(fastifyOauth2, {
    name: 'latchkey',
    discovery: { issuer },
    credentials: { client: { id: clientId, secret: clientSecret } },
    scope: ['openid', 'email', 'profile'],
    pkce: 'S256',
    startRedirectPath: '/login',
    callbackUri: `${baseUrl}/callback`,
  })
  app.get('/callback', async (request) => {
    const { token } = await app.latchkey.getAccessTokenFromAuthorizationCodeFlow(request)
    return app.latchkey.userinfo(token.access_token)
  })
  // #endregion
  return app
}

declare module 'fastify' {
  interface FastifyInstance {
    latchkey: OAuth2Namespace
  }
}

/** An application with @hono/oidc-auth. */
export function honoApp({ issuer, clientId, clientSecret, baseUrl }: Registered): Hono {
  const app = new Hono()
  // #region hono-oidc-auth
  app.use(
    initOidcAuthMiddleware({
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_REDIRECT_URI: `${baseUrl}/callback`,
      OIDC_SCOPES: 'openid email profile offline_access',
      OIDC_AUTH_SECRET: 'a long secret for the session of the application',
    }),
  )
  app.get('/callback', (c) => processOAuthCallback(c))
  app.use(oidcAuthMiddleware())
  app.get('/me', async (c) => c.json(await getAuth(c)))
  // #endregion
  return app
}

/** better-auth with its plugin for OpenID providers. */
export function betterAuthClient({ issuer, clientId, clientSecret, baseUrl }: Registered) {
  // #region better-auth
  return betterAuth({
    baseURL: baseUrl,
    secret: 'a long secret for the session of the application',
    plugins: [
      genericOAuth({
        config: [
          {
            providerId: 'latchkey',
            discoveryUrl: `${issuer}/.well-known/openid-configuration`,
            clientId,
            clientSecret,
            scopes: ['openid', 'email', 'profile'],
            pkce: true,
          },
        ],
      }),
    ],
  })
  // #endregion
}

/** Okta's middleware for Express; express-session has to be in front of it. */
export function oktaMiddleware(
  { issuer, clientId, clientSecret, baseUrl }: Registered,
  options: { testing?: { disableHttpsCheck: boolean } } = {},
) {
  // #region okta-oidc-middleware
  return new ExpressOIDC({
    issuer,
    client_id: clientId,
    client_secret: clientSecret,
    appBaseUrl: baseUrl,
    scope: 'openid email profile',
    ...options,
  })
  // #endregion
}
