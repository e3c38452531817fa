import type { AuthRouterOptions } from '@latchkey/express'

// #region keycloak
export const keycloak: AuthRouterOptions = {
  issuer: 'https://login.example.com/realms/acme',
}
// #endregion
