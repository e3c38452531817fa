import { type AuthRouterOptions, appleClientSecret, createAuthRouter } from '@latchkey/express'
import express, { type Express } from 'express'

// The options of createAuthRouter() for well-known providers. The pages in docs/providers
// quote it, and test/vendors.test.ts logs in with it.

// #region auth0
export const auth0: AuthRouterOptions = {
  issuer: 'https://acme.eu.auth0.com',
  scope: 'openid profile email offline_access',
  // Claims that an action adds have a URL for a name.
  rolesFrom: (user) => (user['https://acme.example/roles'] ?? []) as string[],
}
// #endregion

// #region auth0-logout
export const auth0WithoutEndpoint: AuthRouterOptions = {
  issuer: 'https://acme.eu.auth0.com',
  metadata: { end_session_endpoint: 'https://acme.eu.auth0.com/oidc/logout' },
}
// #endregion

// #region entra
export const entra: AuthRouterOptions = {
  issuer: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0',
  scope: 'openid profile email offline_access',
}
// #endregion

// #region entra-several-tenants
export const entraOfSeveralTenants: AuthRouterOptions = {
  issuer: 'https://login.microsoftonline.com/organizations/v2.0',
  entraTenants: ['11111111-2222-3333-4444-555555555555', '66666666-7777-8888-9999-000000000000'],
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
  rolesFrom: (user) => (user.groups ?? []) as string[],
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
  rolesFrom: (user) => (user['cognito:groups'] ?? []) as string[],
  logoutParams: {
    // Cognito reads this in place of `post_logout_redirect_uri`.
    logout_uri: 'https://app.example.com/',
    post_logout_redirect_uri: false,
    id_token_hint: false,
  },
}
// #endregion

/** Sign in with Apple; `privateKey` is the contents of the `.p8` file. */
export function apple(privateKey: string): AuthRouterOptions {
  // #region apple
  const clientId = 'com.example.app' // the Services ID
  const options: AuthRouterOptions = {
    issuer: 'https://appleid.apple.com',
    clientId,
    clientSecret: appleClientSecret({
      clientId,
      teamId: 'ABCDE12345',
      keyId: 'FGHIJ67890',
      privateKey,
    }),
    scope: 'openid name email',
    // Apple sends name and email by this mode alone.
    responseMode: 'form_post',
  }
  // #endregion
  return options
}

// #region gitlab
export const gitlab: AuthRouterOptions = {
  issuer: 'https://gitlab.com',
  userinfo: 'login',
  rolesFrom: (user) => (user.groups ?? []) as string[],
}
// #endregion

// #region authentik
export const authentik: AuthRouterOptions = {
  issuer: 'https://authentik.example.com/application/o/shop/',
  scope: 'openid profile email offline_access',
  rolesFrom: (user) => (user.groups ?? []) as string[],
}
// #endregion

// #region zitadel
export const zitadel: AuthRouterOptions = {
  issuer: 'https://acme-abc123.eu1.zitadel.cloud',
  scope: 'openid profile email offline_access',
  userinfo: 'login',
  rolesFrom: (user) => Object.keys(user['urn:zitadel:iam:org:project:roles'] ?? {}),
}
// #endregion

// #region ad-fs
export const adFs: AuthRouterOptions = {
  issuer: 'https://adfs.example.com/adfs',
  scope: 'openid profile email allatclaims',
  // AD FS puts the claims of your rules into ID tokens that are sent so.
  responseMode: 'form_post',
}
// #endregion

// #region entra-external-id
const externalTenant = '11111111-2222-3333-4444-555555555555'

export const entraExternalId: AuthRouterOptions = {
  issuer: `https://${externalTenant}.ciamlogin.com/${externalTenant}/v2.0`,
  discoveryUrl: `https://acme.ciamlogin.com/${externalTenant}/v2.0/.well-known/openid-configuration`,
  scope: 'openid profile email offline_access',
}
// #endregion

// #region slack
export const slack: AuthRouterOptions = {
  issuer: 'https://slack.com',
}
// #endregion

// #region twitch
const twitchClaims = { email: null, email_verified: null, preferred_username: null }

export const twitch: AuthRouterOptions = {
  issuer: 'https://id.twitch.tv/oauth2',
  scope: 'openid user:read:email',
  // Twitch sends the claims that are asked for by name.
  authorizationParams: { claims: JSON.stringify({ id_token: twitchClaims }) },
}
// #endregion

/** An application whose users log in at Google. */
export function createApp(): Express {
  const app = express()
  // #region use
  app.use(createAuthRouter(google)) // the options of Google's page
  // #endregion
  return app
}
