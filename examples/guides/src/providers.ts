import type { AuthRouterOptions } from '@latchkey/express'

// What applications of well-known providers pass to createAuthRouter(). The pages in docs/providers
// quote it, and test/vendors.test.ts logs in with it.

// #region auth0
export const auth0: AuthRouterOptions = {
  issuer: 'https://acme.eu.auth0.com',
  scope: 'openid profile email offline_access',
  // Claims that an action adds have a URL for a name.
  rolesFrom: (user) => user['https://acme.example/roles'] as string[],
}
// #endregion

// #region entra
export const entra: AuthRouterOptions = {
  issuer: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0',
  scope: 'openid profile email offline_access',
}
// #endregion

// #region azure-ad-b2c
const b2cApplication = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'

export const azureAdB2c: AuthRouterOptions = {
  issuer: 'https://acme.b2clogin.com/acme.onmicrosoft.com/b2c_1_sign_in/v2.0',
  clientId: b2cApplication,
  // Without its own id among the scopes, the application gets no access token.
  scope: `openid offline_access ${b2cApplication}`,
}
// #endregion

// #region google
export const google: AuthRouterOptions = {
  issuer: 'https://accounts.google.com',
  // Only for refresh tokens; Google has no scope `offline_access`.
  authorizationParams: { access_type: 'offline', prompt: 'consent' },
}
// #endregion

// #region okta
export const okta: AuthRouterOptions = {
  issuer: 'https://acme.okta.com/oauth2/default',
  scope: 'openid profile email offline_access',
  rolesFrom: (user) => user.groups as string[],
}
// #endregion

// #region keycloak
export const keycloak: AuthRouterOptions = {
  issuer: 'https://login.example.com/realms/acme',
}
// #endregion

// #region cognito
export const cognito: AuthRouterOptions = {
  issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI',
  rolesFrom: (user) => user['cognito:groups'] as string[],
  hooks: {
    // Cognito reads this parameter in place of `post_logout_redirect_uri`.
    beforeLogout: () => ({ logout_uri: 'https://app.example.com/' }),
  },
}
// #endregion

// #region apple
export const apple: AuthRouterOptions = {
  issuer: 'https://appleid.apple.com',
  scope: 'openid name email',
  // Apple sends name and email by this mode alone.
  responseMode: 'form_post',
}
// #endregion

// #region gitlab
export const gitlab: AuthRouterOptions = {
  issuer: 'https://gitlab.com',
  userinfo: 'login',
  rolesFrom: (user) => user.groups as string[],
}
// #endregion
