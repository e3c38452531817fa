import { auth } from 'express-openid-connect'
import * as client from 'openid-client'
import { Strategy } from 'passport-openidconnect'

// How other clients log in at the service. docs/guides/other-clients.md quotes it, and a test logs in with it.

/** The values that the console shows of an application, and the address of the application. */
export interface Registered {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly baseUrl: string
}

/** A middleware of express-openid-connect. */
export function expressOpenidConnect({ issuer, clientId, clientSecret, baseUrl }: Registered) {
  // #region express-openid-connect
  return auth({
    issuerBaseURL: issuer,
    baseURL: baseUrl,
    clientID: clientId,
    clientSecret,
    secret: 'a long secret for the session of the application',
    authRequired: false,
    idpLogout: true,
    // Its default is the implicit flow, which the service does not offer.
    authorizationParams: { response_type: 'code', scope: 'openid email profile' },
  })
  // #endregion
}

/** A strategy of passport-openidconnect. */
export function passportStrategy({
  issuer,
  clientId,
  clientSecret,
  baseUrl,
}: Registered): Strategy {
  // #region passport-openidconnect
  return new Strategy(
    {
      issuer,
      authorizationURL: `${issuer}/oidc/auth`,
      tokenURL: `${issuer}/oidc/token`,
      userInfoURL: `${issuer}/oidc/userinfo`,
      clientID: clientId,
      clientSecret,
      callbackURL: `${baseUrl}/callback`,
      scope: ['profile', 'email'],
      nonce: 'yes', // any text switches it on
    },
    (_issuer: string, profile: object, done: (error: null, user: object) => void) =>
      done(null, profile),
  )
  // #endregion
}

/** The address of a login with openid-client, and the checks of its answer. */
export async function openidClient(
  { issuer, clientId, clientSecret, baseUrl }: Registered,
  options: client.DiscoveryRequestOptions = {},
) {
  // #region openid-client
  const config = await client.discovery(
    new URL(issuer),
    clientId,
    undefined,
    client.ClientSecretBasic(clientSecret),
    options,
  )
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedState = client.randomState()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: `${baseUrl}/callback`,
    scope: 'openid email profile',
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const complete = (callback: URL) =>
    client.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState })
  // #endregion
  return { url, complete }
}
