import { createHash } from 'node:crypto'
import { buildAuthorizationUrl } from 'openid-client'
import type { AuthContext } from './context.ts'
import type { AuthRequest } from './request.ts'
import { redirect } from './responses.ts'
import { safeReturnTo } from './return-to.ts'

/** What one login may ask for. */
export interface LoginRequest {
  /** Where the login ends; sanitised here. */
  readonly returnTo?: string | undefined
  /** More cookies to set with the redirect. */
  readonly setCookies?: readonly string[]
}

/**
 * Sends the visitor to the provider: authorization code flow with PKCE S256, `state` and `nonce`,
 * and the transaction that the answer will be checked against in a sealed cookie.
 *
 * @see OpenID Connect Core 1.0 §3.1.2.1, RFC 7636 §4.2
 */
export async function beginLogin(
  context: AuthContext,
  request: AuthRequest,
  login: LoginRequest = {},
): Promise<Response> {
  const { options, provider, transactions } = context
  const configuration = await provider.configuration()
  const { transaction, setCookies } = transactions.begin(request.headers.get('cookie'), {
    issuer: provider.issuer,
    clientId: provider.clientId,
    redirectUri: options.redirectUri,
    returnTo: safeReturnTo(login.returnTo, options.baseUrl),
  })
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: transaction.redirectUri,
    scope: options.scope,
    state: transaction.state,
    nonce: transaction.nonce,
    code_challenge: createHash('sha256').update(transaction.codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const status = request.method === 'GET' || request.method === 'HEAD' ? 302 : 303
  return redirect(url.href, [...setCookies, ...(login.setCookies ?? [])], status)
}
