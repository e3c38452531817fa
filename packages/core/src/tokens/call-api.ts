import { LatchkeyError } from '../errors/errors.ts'
import { kitCause } from '../provider/errors.ts'
import type { Provider } from '../provider/provider.ts'
import type { SessionTokens } from '../session/session.ts'

/**
 * Calls an API with the access token of a session, and with a DPoP proof if the token is bound to a
 * key. Redirects are not followed, because they would send the token to another URL. A request is
 * sent again when the API asks for a nonce, unless its body was a stream.
 *
 * @throws {@link LatchkeyError} with `LATCHKEY_BODY_SENT` when the API asks for a nonce after a
 *   stream was sent.
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
  return provider.call(async (client, known) => {
    // A separate configuration: APIs may use plain http within a network, and the provider's
    // endpoints must not.
    const configuration = new client.Configuration(known.serverMetadata(), provider.clientId)
    const url = new URL(target)
    if (url.protocol === 'http:') client.allowInsecureRequests(configuration)
    // The caller's `signal` is the only limit, as with a bearer token.
    configuration.timeout = undefined
    let isSent = false
    configuration[client.customFetch] = async (address, { signal: _, duplex, ...options }) => {
      if (isSent && isStream(init.body)) throw bodySent(url)
      isSent = true
      const given = { ...init, ...options, ...(duplex && { duplex }) }
      const answer = await fetch(address, given as RequestInit)
      provider.proofs.note(address, answer.headers)
      return answer
    }
    const DPoP = await provider.proofs.handle(client, configuration, proofKey)
    const { method = 'GET', body } = init
    return client
      .fetchProtectedResource(
        configuration,
        accessToken,
        url,
        method,
        body as Parameters<typeof client.fetchProtectedResource>[4],
        headers,
        { DPoP },
      )
      .catch((error) => {
        // A refusal is a response, as with `fetch`.
        if (error instanceof client.WWWAuthenticateChallengeError) return error.response
        throw kitCause(error) ?? error
      })
  })
}

/** Whether a body can be read only once: a web stream or a Node stream. */
function isStream(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

function bodySent({ origin }: URL): LatchkeyError {
  return new LatchkeyError(
    'LATCHKEY_BODY_SENT',
    `${origin} asked for a nonce, and the body of the request was a stream, which cannot be sent twice.`,
  )
}
