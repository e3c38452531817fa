import * as arctic from 'arctic'
import { generators, Issuer } from 'openid-client-5'
import type { Registered } from './other-clients.ts'

// How libraries without a framework log in at the service. docs/guides/other-clients.md quotes it, and a test logs in with it.

/** A login with openid-client 5, and the checks of its answer. */
export async function openidClient5({ issuer, clientId, clientSecret, baseUrl }: Registered) {
  // #region openid-client-5
  const { Client } = await Issuer.discover(issuer)
  const redirectUri = `${baseUrl}/callback`
  const client = new Client({
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uris: [redirectUri],
    response_types: ['code'],
  })
  const state = generators.state()
  const codeVerifier = generators.codeVerifier()
  const url = client.authorizationUrl({
    scope: 'openid email profile',
    state,
    code_challenge: generators.codeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  })
  const complete = (callback: string) =>
    client.callback(redirectUri, client.callbackParams(callback), {
      state,
      code_verifier: codeVerifier,
    })
  // #endregion
  return { url, complete: async (callback: string) => (await complete(callback)).claims() }
}

/** A login with arctic. */
export function arcticClient({ issuer, clientId, clientSecret, baseUrl }: Registered) {
  // #region arctic
  const client = new arctic.OAuth2Client(clientId, clientSecret, `${baseUrl}/callback`)
  const state = arctic.generateState()
  const codeVerifier = arctic.generateCodeVerifier()
  const url = client.createAuthorizationURLWithPKCE(
    `${issuer}/oidc/auth`,
    state,
    arctic.CodeChallengeMethod.S256,
    codeVerifier,
    ['openid', 'email', 'profile'],
  )
  const complete = async (callback: URL) => {
    if (callback.searchParams.get('state') !== state) throw new Error('Another login.')
    const code = callback.searchParams.get('code') ?? ''
    const endpoint = `${issuer}/oidc/token`
    const tokens = await client.validateAuthorizationCode(endpoint, code, codeVerifier)
    return arctic.decodeIdToken(tokens.idToken())
  }
  // #endregion
  return { url, complete }
}
