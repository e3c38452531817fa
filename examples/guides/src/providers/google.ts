import type { AuthOptions } from '@latchkey/express'

// #region google
export const google: AuthOptions = {
  issuer: 'https://accounts.google.com',
  // Only for refresh tokens; Google has no scope `offline_access`.
  authorizationParams: { access_type: 'offline', prompt: 'consent' },
}
// #endregion
