import type { AuthRouterOptions } from '@latchkey/express'

// #region authentik
export const authentik: AuthRouterOptions = {
  issuer: 'https://authentik.example.com/application/o/shop/',
  scope: 'openid profile email offline_access',
  rolesFrom: (user) => (user.groups ?? []) as string[],
}
// #endregion
