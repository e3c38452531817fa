import type { AuthOptions } from '@latchkey/express'

// #region entra-external-id
const externalTenant = '11111111-2222-3333-4444-555555555555'

export const entraExternalId: AuthOptions = {
  issuer: `https://${externalTenant}.ciamlogin.com/${externalTenant}/v2.0`,
  discoveryUrl: `https://acme.ciamlogin.com/${externalTenant}/v2.0/.well-known/openid-configuration`,
  scope: 'openid profile email offline_access',
}
// #endregion
