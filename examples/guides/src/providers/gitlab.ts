import type { AuthOptions } from '@latchkey/express'

// #region gitlab
export const gitlab: AuthOptions = {
  issuer: 'https://gitlab.com',
  userinfo: 'login',
  rolesFrom: (user) => (user.groups ?? []) as string[],
}
// #endregion
