import type { AuthOptions } from '@latchkey/express'

// #region authentik
export const authentik: AuthOptions = {
  issuer: 'https://authentik.example.com/application/o/shop/',
  scope: 'openid profile email offline_access',
  rolesFrom: (user) => (user.groups ?? []) as string[],
}
// #endregion
