import type { ProtectedResourceRequestBody } from 'oauth4webapi'
import { withNonce } from '../provider/oauth.ts'
import type { Provider } from '../provider/provider.ts'
import type { SessionTokens } from '../session/session.ts'

/**
 * Calls an API with the access token of a session, and with a proof of its key if it is bound to one. Redirects are
 * not followed: they would take the token elsewhere.
 *
 * @see RFC 6750 §2.1, RFC 9449 §7.1, §9
 */
export async function callApi(
  provider: Provider,
  { accessToken, proofKey }: SessionTokens,
  target: string | URL,
  init: RequestInit,
): Promise<Response> {
  const headers = new Headers(init.headers)
  if (proofKey === undefined) {
    headers.set('authorization', `Bearer ${accessToken}`)
    return fetch(target, { ...init, headers, redirect: 'manual' })
  }
  return provider.call(async (call) => {
    const { oauth } = call
    const url = new URL(target)
    const DPoP = await provider.proofs.handle(call, proofKey)
    const options = {
      ...(DPoP && { DPoP }),
      // APIs may be on plain http within a network, unlike the endpoints of the provider.
      [oauth.allowInsecureRequests]: url.protocol === 'http:',
      async [oauth.customFetch](address: string, more: object) {
        const answer = await fetch(address, { ...init, ...more })
        provider.proofs.note(address, answer.headers)
        return answer
      },
    }
    const { method = 'GET', body } = init
    const request = [accessToken, method, url, headers, body as Body, options] as const
    return withNonce(oauth, DPoP, () => oauth.protectedResourceRequest(...request)).catch(
      (error) => {
        // A refusal is an answer, as with fetch.
        if (error instanceof oauth.WWWAuthenticateChallengeError) return error.response
        throw error
      },
    )
  })
}

type Body = ProtectedResourceRequestBody | undefined
