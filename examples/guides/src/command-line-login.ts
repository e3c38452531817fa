import * as client from 'openid-client'

// A command line whose user logs in with a browser. docs/guides/other-clients.md quotes it, and a test runs it.

const { ISSUER = '', CLIENT_ID = '', ALLOW_HTTP } = process.env
const options = ALLOW_HTTP ? { execute: [client.allowInsecureRequests] } : {}

// #region login
const config = await client.discovery(new URL(ISSUER), CLIENT_ID, undefined, client.None(), options)
const begun = await client.initiateDeviceAuthorization(config, {
  scope: 'openid email offline_access',
})
console.log(`Open ${begun.verification_uri} and enter ${begun.user_code}`)
const tokens = await client.pollDeviceAuthorizationGrant(config, begun)
console.log(`Logged in as ${tokens.claims()?.email}`)
// #endregion

// The refresh token keeps the user logged in, so that the next start asks nothing.
const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
console.log(`Refreshed for ${refreshed.expires_in} seconds`)
