import type { AuthOptions } from '@latchkey/express'

// #region auth0
export const auth0: AuthOptions = {
  issuer: 'https://acme.eu.auth0.com',
  scope: 'openid profile email offline_access',
  // Claims that an action adds have a URL for a name.
  rolesFrom: (user) => (user['https://acme.example/roles'] ?? []) as string[],
}
// #endregion

// #region auth0-logout
export const auth0WithoutEndpoint: AuthOptions = {
  issuer: 'https://acme.eu.auth0.com',
  metadata: { end_session_endpoint: 'https://acme.eu.auth0.com/oidc/logout' },
}
// #endregion
