import type { AuthOptions } from '@latchkey/express'

// #region ad-fs
export const adFs: AuthOptions = {
  issuer: 'https://adfs.example.com/adfs',
  scope: 'openid profile email allatclaims',
  // AD FS puts the claims of your rules into ID tokens that are sent so.
  responseMode: 'form_post',
}
// #endregion
