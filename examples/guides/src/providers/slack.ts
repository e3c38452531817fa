import type { AuthOptions } from '@latchkey/express'

// #region slack
export const slack: AuthOptions = {
  issuer: 'https://slack.com',
}
// #endregion
