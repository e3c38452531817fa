import type { AuthOptions } from '@latchkey/express'

// #region keycloak
export const keycloak: AuthOptions = {
  issuer: 'https://login.example.com/realms/acme',
}
// #endregion
