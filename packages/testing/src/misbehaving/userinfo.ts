import type { ServerResponse } from 'node:http'
import type { ProviderRequest } from './provider.ts'
import { json, send } from './server.ts'
import { signJwt } from './signing.ts'
import { claimsOf, type ProviderState } from './state.ts'

/** The userinfo endpoint. */
export function userinfo(
  { provider, key, accessTokens }: ProviderState,
  { authorization }: ProviderRequest,
  res: ServerResponse,
): void {
  const { issuer, clientId, fault } = provider
  const grant = accessTokens.get(authorization?.replace('Bearer ', '') ?? '')
  if (!grant || fault === 'userinfo refused') {
    res.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' })
    res.end()
    return
  }
  const { sub, ...claims } = { ...claimsOf(provider, grant), from_userinfo: true } as Record<
    string,
    unknown
  >
  if (fault === 'userinfo without sub') {
    json(res, claims)
    return
  }
  if (fault === 'userinfo is signed') {
    const now = Math.floor(Date.now() / 1000)
    const about = { iss: issuer, aud: clientId, iat: now, exp: now + 600 }
    const token = signJwt({ ...about, ...claims, sub }, key)
    res.writeHead(200, { 'content-type': 'application/jwt' })
    res.end(token)
    return
  }
  send(provider, res, 'userinfo', {
    ...claims,
    sub: fault === 'userinfo of another user' ? 'mallory' : sub,
  })
}
