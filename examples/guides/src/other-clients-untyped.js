import { ExpressAuth } from '@auth/express'
import grant from 'grant'

export { default as NextAuth } from 'next-auth'

// Clients whose types do not fit these tests: those of Grant are of a CommonJS module, those of next-auth change
// `process.env`, and those of Auth.js bring the types of browsers. docs/guides/other-clients.md quotes it, and a test logs in with it.

/** Auth.js under Express, for the path `/auth`. */
export function authJs({ issuer, clientId, clientSecret }) {
  // #region auth-express
  return ExpressAuth({
    secret: 'a long secret for the session of the application',
    trustHost: true,
    providers: [{ id: 'latchkey', name: 'Latchkey', type: 'oidc', issuer, clientId, clientSecret }],
  })
  // #endregion
}

/** Grant under Express; express-session has to be in front of it. */
export function grantMiddleware({ issuer, clientId, clientSecret, baseUrl }) {
  // #region grant
  return grant.express({
    defaults: { origin: baseUrl, transport: 'session' },
    latchkey: {
      oauth: 2,
      authorize_url: `${issuer}/oidc/auth`,
      access_url: `${issuer}/oidc/token`,
      profile_url: `${issuer}/oidc/userinfo`,
      key: clientId,
      secret: clientSecret,
      scope: ['openid', 'email', 'profile'],
      scope_delimiter: ' ',
      response: ['tokens', 'profile'],
      callback: '/me',
      state: true,
      pkce: true,
    },
  })
  // #endregion
}

/** The options of next-auth 4. */
export function nextAuthOptions({ issuer, clientId, clientSecret }) {
  // #region next-auth
  return {
    secret: 'a long secret for the session of the application',
    providers: [
      {
        id: 'latchkey',
        name: 'Latchkey',
        type: 'oauth',
        wellKnown: `${issuer}/.well-known/openid-configuration`,
        clientId,
        clientSecret,
        authorization: { params: { scope: 'openid email profile' } },
        idToken: true,
        // Its default is the state alone.
        checks: ['pkce', 'state'],
        profile: ({ sub, name, email }) => ({ id: sub, name, email }),
      },
    ],
  }
  // #endregion
}
