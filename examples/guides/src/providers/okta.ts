import type { AuthOptions } from '@latchkey/express'

// #region okta
export const okta: AuthOptions = {
  issuer: 'https://acme.okta.com/oauth2/default',
  scope: 'openid profile email offline_access',
  rolesFrom: (user) => (user.groups ?? []) as string[],
}
// #endregion
