import { CallbackError } from '../errors/errors.ts'
import { CLOCK_TOLERANCE_SECONDS } from '../provider/clock.ts'
import { printable, providerError } from '../provider/errors.ts'
import type { Provider } from '../provider/provider.ts'
import { decodeJwt } from '../provider/signed/jwt.ts'
import type { ProviderAnswer } from '../provider/transport.ts'
import type { SessionTokens } from '../session/session.ts'
import { presentMembers } from '../shared/present-members.ts'
import { parseRecord } from '../shared/records.ts'

/** The claims of signed userinfo that are about the token. */
const TOKEN_CLAIMS: ReadonlySet<string> = new Set(['iss', 'aud', 'exp', 'iat', 'nbf', 'jti'])

type UserInfo = Readonly<Record<string, unknown>>

/**
 * Reads userinfo, signed or not. It must be about the user `sub`.
 *
 * @param now - Seconds since the epoch.
 * @throws {@link CallbackError} with `LATCHKEY_USERINFO_INVALID` when userinfo cannot be used;
 *   {@link ProviderError} when the provider does not answer.
 * @see OpenID Connect Core 1.0 §5.3
 */
export async function readUserInfo(
  provider: Provider,
  tokens: Pick<SessionTokens, 'accessToken' | 'proofKey'>,
  sub: string,
  now: number,
): Promise<Record<string, unknown>> {
  const metadata = await provider.metadata()
  const endpoint = metadata.userinfo_endpoint
  if (!endpoint) throw invalid('the provider names no userinfo_endpoint')
  const { status, headers, body = '' } = await askFor(provider, endpoint, tokens)
  const header = (name: string): string => headers.find(([one]) => one === name)?.[1] ?? ''
  if (status !== 200) {
    const reason = /error="([^"]*)"/.exec(header('www-authenticate'))?.[1]
    throw invalid(`the answer has status ${status}${reason ? ` (${printable(reason)})` : ''}`)
  }
  const isSigned = /^application\/jwt\b/i.test(header('content-type'))
  const said = isSigned ? await signedClaims(provider, body, now) : parseRecord(body)
  const claims = said && presentMembers(said)
  if (typeof claims?.sub !== 'string') throw invalid('it is no JSON object with a "sub"')
  if (claims.sub !== sub) throw invalid('it is about another user than the ID token')
  return claims
}

async function askFor(
  provider: Provider,
  endpoint: string,
  { accessToken, proofKey }: Pick<SessionTokens, 'accessToken' | 'proofKey'>,
): Promise<ProviderAnswer> {
  const headers = { accept: 'application/json, application/jwt' }
  if (proofKey === undefined) {
    const authorization = `Bearer ${accessToken}`
    return provider.fetch(endpoint, { headers: { ...headers, authorization } })
  }
  const response = await provider.call(async (client, configuration) => {
    const DPoP = await provider.proofs.handle(client, configuration, proofKey)
    const target = new URL(endpoint)
    return client
      .fetchProtectedResource(
        ...([
          configuration,
          accessToken,
          target,
          'GET',
          null,
          new Headers(headers),
          { DPoP },
        ] as const),
      )
      .catch((cause) => {
        throw providerError(cause, 'refused the access token at userinfo')
      })
  })
  return {
    status: response.status,
    headers: [...response.headers],
    body: await response.text(),
  }
}

async function signedClaims(provider: Provider, token: string, now: number): Promise<UserInfo> {
  const { fault } = await provider.verify(token)
  if (fault !== undefined) throw invalid(`its signature ${fault}`)
  const payload = presentMembers(decodeJwt(token)?.payload ?? {})
  const { iss, aud, exp } = payload
  const metadata = await provider.metadata()
  if (iss !== undefined && iss !== metadata.issuer) throw invalid('its "iss" is another issuer')
  if (aud !== undefined && ![aud].flat().includes(provider.clientId)) {
    throw invalid('its "aud" is another client')
  }
  if (typeof exp === 'number' && exp <= now - CLOCK_TOLERANCE_SECONDS)
    throw invalid('it has expired')
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !TOKEN_CLAIMS.has(name)))
}

function invalid(reason: string): CallbackError {
  return new CallbackError('LATCHKEY_USERINFO_INVALID', `Userinfo cannot be used: ${reason}.`)
}
