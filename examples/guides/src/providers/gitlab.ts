import type { AuthRouterOptions } from '@latchkey/express'

// #region gitlab
export const gitlab: AuthRouterOptions = {
  issuer: 'https://gitlab.com',
  userinfo: 'login',
  rolesFrom: (user) => (user.groups ?? []) as string[],
}
// #endregion
