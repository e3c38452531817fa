import type { AuthOptions } from '@latchkey/express'

// #region zitadel
export const zitadel: AuthOptions = {
  issuer: 'https://acme-abc123.eu1.zitadel.cloud',
  scope: 'openid profile email offline_access',
  userinfo: 'login',
  rolesFrom: (user) => Object.keys(user['urn:zitadel:iam:org:project:roles'] ?? {}),
}
// #endregion
