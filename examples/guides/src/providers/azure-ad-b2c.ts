import type { AuthOptions } from '@latchkey/express'

// #region azure-ad-b2c
const b2cApplication = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'

export const azureAdB2c: AuthOptions = {
  issuer: 'https://acme.b2clogin.com/acme.onmicrosoft.com/b2c_1_sign_in/v2.0',
  clientId: b2cApplication,
  // Without its own id among the scopes, the application gets no access token.
  scope: `openid offline_access ${b2cApplication}`,
}
// #endregion
