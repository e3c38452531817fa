import type { AuthRouterOptions } from '@latchkey/express'

// #region okta
export const okta: AuthRouterOptions = {
  issuer: 'https://acme.okta.com/oauth2/default',
  scope: 'openid profile email offline_access',
  rolesFrom: (user) => (user.groups ?? []) as string[],
}
// #endregion
