import type { AuthOptions } from '@latchkey/express'

// #region twitch
const twitchClaims = { email: null, email_verified: null, preferred_username: null }

export const twitch: AuthOptions = {
  issuer: 'https://id.twitch.tv/oauth2',
  scope: 'openid user:read:email',
  // Twitch sends the claims that are asked for by name.
  authorizationParams: { claims: JSON.stringify({ id_token: twitchClaims }) },
}
// #endregion
