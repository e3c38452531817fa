import { createHash, randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { issuerName } from './answers.ts'
import { breakHttp } from './network.ts'
import type { MisbehavingProvider, ProviderRequest } from './provider.ts'
import { isClient, tokenError } from './requests.ts'
import { json, rewritten, send } from './server.ts'
import { signIdToken } from './signing.ts'
import { claimsOf, type Grant, type ProviderState } from './state.ts'

/** The token endpoint: redeems codes and refresh tokens. */
export function token(state: ProviderState, request: ProviderRequest, res: ServerResponse): void {
  const { provider, codes, refreshTokens } = state
  const { body } = request
  if (refuse(provider, request, res)) return
  const grants = body.get('grant_type') === 'refresh_token' ? refreshTokens : codes
  const name = body.get('refresh_token') ?? body.get('code') ?? ''
  const grant = grants.get(name)
  grants.delete(name)
  const verifier = body.get('code_verifier')
  const challenge =
    verifier === null ? undefined : createHash('sha256').update(verifier).digest('base64url')
  if (!grant || (grants === codes && grant.codeChallenge !== challenge)) {
    json(res, { error: 'invalid_grant' }, 400)
    return
  }
  const answer = tokenResponse(state, grant, grants === codes)
  if (provider.fault === 'token response in broken HTTP') breakHttp(res, answer)
  else send(provider, res, grants === codes ? 'code' : 'refresh', answer)
}

/**
 * Answers with the response or the error that the test has set, or with an error for wrong
 * credentials of the client. Returns whether the request is answered.
 */
function refuse(
  provider: MisbehavingProvider,
  { body, authorization }: ProviderRequest,
  res: ServerResponse,
): boolean {
  const { fault, errorDescription, tokenAnswer } = provider
  if (tokenAnswer) {
    for (const [name, value] of Object.entries(tokenAnswer.headers ?? {}))
      res.setHeader(name, value)
    json(res, tokenAnswer.body, tokenAnswer.status)
    return true
  }
  if (fault === 'error_description repeats the request') {
    const given = `${authorization} ${body} ${[...body.values()].join(' ')}`
    json(res, tokenError('invalid_request', given), 400)
    return true
  }
  if (fault === 'invalid_client' || !isClient(provider, authorization)) {
    res.setHeader('www-authenticate', 'Basic realm="misbehaving", error="invalid_client"')
    json(res, tokenError('invalid_client', errorDescription), 401)
    return true
  }
  if (!fault?.startsWith('invalid_grant')) return false
  if (fault === 'invalid_grant with WWW-Authenticate') {
    res.setHeader('www-authenticate', 'Bearer realm="Doorkeeper", error="invalid_grant"')
  }
  json(res, tokenError('invalid_grant', errorDescription), 400)
  return true
}

/** The token response for a grant. With `withNonce`, the ID token has the nonce of the login. */
function tokenResponse(state: ProviderState, grant: Grant, withNonce: boolean): unknown {
  const { provider, key, accessTokens, refreshTokens } = state
  const { fault } = provider
  if (fault === 'token response is an array') return []
  const now = Math.floor(Date.now() / 1000)
  const accessToken = `access-${randomBytes(16).toString('hex')}`
  const refreshToken = `refresh-${randomBytes(16).toString('hex')}`
  accessTokens.set(accessToken, grant)
  refreshTokens.set(refreshToken, grant)
  const claims = {
    iss: issuerName(provider.issuer, fault, grant.claims.tid),
    aud: provider.clientId,
    iat: now,
    exp: now + 600,
    auth_time: grant.authTime,
    sid: grant.sid,
    ...(fault === 'at_hash by SHA-256' ? { at_hash: leftHalfOfHash(accessToken) } : {}),
    ...(withNonce && grant.nonce ? { nonce: grant.nonce } : {}),
    ...(fault === 'refreshed id_token with sub alone' && !withNonce
      ? { sub: grant.claims.sub }
      : claimsOf(provider, grant)),
  }
  const idToken = signIdToken(claims, key, provider.clientSecret, fault, (text) =>
    rewritten(provider, 'id_token', text),
  )
  provider.secrets.push(accessToken, refreshToken, idToken)
  return {
    ...(fault === 'token response without access_token' ? {} : { access_token: accessToken }),
    ...(fault === 'token response with a list of scopes' ? { scope: ['openid', 'email'] } : {}),
    ...(fault === 'token response without token_type' ? {} : { token_type: 'Bearer' }),
    expires_in:
      fault === 'token response with malformed expires_in' ? [] : provider.accessTokenSeconds,
    refresh_token: refreshToken,
    ...(fault === 'token response without id_token' ? {} : { id_token: idToken }),
  }
}

/** The `at_hash` of an access token. @see OpenID Connect Core 1.0 §3.1.3.6 */
function leftHalfOfHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')
}
