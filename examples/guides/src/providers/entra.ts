import type { AuthOptions } from '@latchkey/express'

// #region entra
export const entra: AuthOptions = {
  issuer: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0',
  scope: 'openid profile email offline_access',
}
// #endregion

// #region entra-several-tenants
export const entraOfSeveralTenants: AuthOptions = {
  issuer: 'https://login.microsoftonline.com/organizations/v2.0',
  entraTenants: ['11111111-2222-3333-4444-555555555555', '66666666-7777-8888-9999-000000000000'],
  scope: 'openid profile email offline_access',
}
// #endregion
