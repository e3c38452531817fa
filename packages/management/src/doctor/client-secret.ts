import type { Fetch } from '../options.ts'

/** The response of a token endpoint to a client secret. */
export type SecretAnswer = 'accepted' | 'refused' | { readonly unclear: string }

/**
 * A client of a provider, with the provider's token endpoint and the endpoint's authentication
 * methods.
 */
export interface ClientToTest {
  readonly endpoint: string
  readonly methods: unknown
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
}

/**
 * Tests a client secret with an authorization code that does not exist. A provider authenticates
 * the client first. So it answers `invalid_client` if the secret is wrong, and `invalid_grant` or
 * another error if the secret is right (RFC 6749 §5.2). `unclear` is a response without an error.
 */
export async function testClientSecret(fetch: Fetch, client: ClientToTest): Promise<SecretAnswer> {
  const { endpoint, methods, clientId, clientSecret, redirectUri } = client
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: 'latchkey-doctor',
    redirect_uri: redirectUri,
    code_verifier: 'latchkey-doctor'.repeat(4),
  })
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  }
  // `client_secret_basic` is the default if the provider names no methods (OpenID Connect Discovery
  // 1.0 §3).
  if (!Array.isArray(methods) || methods.includes('client_secret_basic')) {
    const pair = [clientId, clientSecret].map(formEncoded).join(':')
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  } else {
    form.set('client_id', clientId)
    form.set('client_secret', clientSecret)
  }
  const signal = AbortSignal.timeout(10_000)
  const response = await fetch(endpoint, { method: 'POST', headers, body: String(form), signal })
  const error = errorOf(await response.text())
  if (error === 'invalid_client' || response.status === 401) return 'refused'
  return error === undefined ? { unclear: `status ${response.status}` } : 'accepted'
}

/**
 * Encodes a client id or secret for HTTP Basic authentication.
 *
 * @see RFC 6749 §2.3.1
 */
function formEncoded(text: string): string {
  return String(new URLSearchParams({ text })).slice('text='.length)
}

function errorOf(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body)
    return typeof error === 'string' ? error : undefined
  } catch {
    return undefined
  }
}
