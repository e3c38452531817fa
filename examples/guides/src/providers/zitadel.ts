import type { AuthRouterOptions } from '@latchkey/express'

// #region zitadel
export const zitadel: AuthRouterOptions = {
  issuer: 'https://acme-abc123.eu1.zitadel.cloud',
  scope: 'openid profile email offline_access',
  userinfo: 'login',
  rolesFrom: (user) => Object.keys(user['urn:zitadel:iam:org:project:roles'] ?? {}),
}
// #endregion
