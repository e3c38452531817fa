import type { AuthOptions } from '@latchkey/express'

// #region cognito
export const cognito: AuthOptions = {
  issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI',
  rolesFrom: (user) => (user['cognito:groups'] ?? []) as string[],
  logoutParams: {
    // Cognito reads this in place of `post_logout_redirect_uri`.
    logout_uri: 'https://app.example.com/',
    post_logout_redirect_uri: false,
    id_token_hint: false,
  },
}
// #endregion
