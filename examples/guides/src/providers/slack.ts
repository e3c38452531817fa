import type { AuthRouterOptions } from '@latchkey/express'

// #region slack
export const slack: AuthRouterOptions = {
  issuer: 'https://slack.com',
}
// #endregion
