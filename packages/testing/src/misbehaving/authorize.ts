import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { authorizationResponse } from './answers.ts'
import type { ProviderRequest } from './provider.ts'
import { json } from './server.ts'
import type { ProviderState } from './state.ts'

/** The authorization endpoint: logs the visitor in as the user, and sends them back with a code. */
export function authorize(
  { provider, codes, pushed, sids }: ProviderState,
  { query }: ProviderRequest,
  res: ServerResponse,
): void {
  const { issuer, fault, user, secrets } = provider
  const parameters = pushed.get(query.get('request_uri') ?? '') ?? query
  const code = randomBytes(16).toString('hex')
  secrets.push(code)
  codes.set(code, {
    nonce: parameters.get('nonce') ?? undefined,
    codeChallenge: parameters.get('code_challenge') ?? undefined,
    claims: { ...user },
    authTime: Math.floor(Date.now() / 1000),
    sid: newSid(sids),
  })
  const answer = authorizationResponse(fault, issuer, code, parameters.get('state') ?? '')
  const redirectUri = parameters.get('redirect_uri') ?? issuer
  if (parameters.get('response_mode') === 'form_post') {
    json(res, { action: redirectUri, fields: Object.fromEntries(answer) })
    return
  }
  res.writeHead(302, { location: `${redirectUri}?${answer}` })
  res.end()
}

/** The pushed authorization request endpoint. @see RFC 9126 §2.2 */
export function push(
  { pushed }: ProviderState,
  { body }: ProviderRequest,
  res: ServerResponse,
): void {
  const id = `urn:request:${randomBytes(9).toString('hex')}`
  pushed.set(id, body)
  json(res, { request_uri: id, expires_in: 60 }, 201)
}

function newSid(sids: string[]): string {
  const sid = randomBytes(9).toString('hex')
  sids.push(sid)
  return sid
}
