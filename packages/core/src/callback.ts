import type { Configuration, IDToken, TokenEndpointResponse } from 'openid-client'
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  ResponseBodyError,
} from 'openid-client'
import type { AuthContext } from './context.ts'
import { CallbackError, type LatchkeyError, ProviderError, RequestError } from './errors.ts'
import { beginLogin } from './login.ts'
import type { AuthRequest } from './request.ts'
import { queryOf } from './request.ts'
import { redirect } from './responses.ts'
import type { AuthSession, SessionHandle } from './session.ts'
import type { LoginTransaction } from './transaction.ts'

/**
 * Receives the visitor back from the provider: checks the answer against the transaction that began
 * the login, redeems the code, validates the ID Token with its signature, and begins a session.
 *
 * When the transaction is gone (another tab finished, the back button, a form sent twice, ten minutes
 * passed) a visitor who is signed in goes where they were going, and any other begins again, once.
 *
 * @throws {@link CallbackError} when the login cannot be completed.
 * @see RFC 6749 §4.1.2, RFC 9207 §2.4, OpenID Connect Core 1.0 §3.1.3.7
 */
export async function completeLogin(
  context: AuthContext,
  request: AuthRequest,
  session: SessionHandle,
): Promise<Response> {
  const { transactions, provider } = context
  const parameters = await responseParameters(request)
  const cookies = request.headers.get('cookie')
  const state = parameters.get('state') ?? ''
  const transaction = transactions.find(cookies, state)
  if (!transaction) return recover(context, request, session, state)
  if (transaction.issuer !== provider.issuer || transaction.clientId !== provider.clientId) {
    throw new CallbackError(
      'LATCHKEY_ISSUER_MISMATCH',
      'The login was begun with another provider than the one that now answers.',
    )
  }

  const configuration = await provider.configuration()
  const tokens = await redeem(configuration, transaction, parameters)
  const claims = tokens.claims()
  if (!claims) throw new CallbackError('LATCHKEY_TOKEN_INVALID', 'There is no ID Token.')
  await session.start(toSession(context, tokens, claims))
  return redirect(
    transaction.returnTo,
    [...transactions.forget(cookies, state), transactions.clearRestart()],
    303,
  )
}

/** The transaction is not in this browser, or is spent. */
async function recover(
  context: AuthContext,
  request: AuthRequest,
  session: SessionHandle,
  state: string,
): Promise<Response> {
  const { transactions } = context
  const cookies = request.headers.get('cookie')
  const returnTo = transactions.returnToOf(state) ?? '/'
  if (await session.read()) return redirect(returnTo, transactions.forget(cookies, state), 303)
  if (transactions.wasRestarted(cookies)) {
    throw new CallbackError(
      'LATCHKEY_TRANSACTION_MISSING',
      'The login cookie did not come back, twice; are cookies blocked, or is "baseUrl" another address than the one visitors use?',
    )
  }
  return beginLogin(context, request, { returnTo, setCookies: [transactions.markRestart()] })
}

async function redeem(
  configuration: Configuration,
  transaction: LoginTransaction,
  parameters: URLSearchParams,
) {
  const url = new URL(transaction.redirectUri)
  url.search = parameters.toString()
  try {
    return await authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: transaction.codeVerifier,
      expectedState: transaction.state,
      expectedNonce: transaction.nonce,
      idTokenExpected: true,
    })
  } catch (error) {
    throw callbackError(error)
  }
}

function callbackError(cause: unknown): LatchkeyError {
  if (cause instanceof AuthorizationResponseError) {
    return new CallbackError('LATCHKEY_LOGIN_DENIED', 'The provider reported an error.', {
      providerError: cause.error,
    })
  }
  if (cause instanceof ResponseBodyError) {
    return new CallbackError('LATCHKEY_CODE_REFUSED', 'The provider did not redeem the code.', {
      providerError: cause.error,
    })
  }
  const code = (cause as { code?: string }).code
  if (code === 'OAUTH_TIMEOUT' || cause instanceof TypeError) {
    return new ProviderError('LATCHKEY_PROVIDER_UNAVAILABLE', 'The provider did not answer.')
  }
  return new CallbackError('LATCHKEY_TOKEN_INVALID', 'The response did not pass validation.')
}

function toSession(
  { options, provider }: AuthContext,
  tokens: TokenEndpointResponse & { expiresIn(): number | undefined },
  claims: IDToken,
): AuthSession {
  const now = options.now()
  const expiresIn = tokens.expiresIn()
  return {
    issuer: provider.issuer,
    clientId: provider.clientId,
    sub: claims.sub,
    sid: typeof claims.sid === 'string' ? claims.sid : undefined,
    user: userClaims(claims),
    createdAt: now,
    expiresAt: now + options.session.absoluteSeconds,
    authTime: claims.auth_time,
    acr: typeof claims.acr === 'string' ? claims.acr : undefined,
    idToken: tokens.id_token,
    tokens: {
      accessToken: tokens.access_token,
      accessTokenExpiresAt: expiresIn === undefined ? undefined : now + expiresIn,
      refreshToken: tokens.refresh_token,
      scope: tokens.scope,
    },
  }
}

const PROTOCOL_CLAIMS = new Set(
  'iss aud exp iat nbf jti nonce azp at_hash c_hash s_hash auth_time acr amr sid events'.split(' '),
)

/** The claims that speak of the user, without those that speak of the token. */
function userClaims(claims: IDToken): Record<string, unknown> {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !PROTOCOL_CLAIMS.has(name)))
}

async function responseParameters(request: AuthRequest): Promise<URLSearchParams> {
  const parameters =
    request.method === 'POST' ? new URLSearchParams(await request.text()) : queryOf(request.url)
  for (const name of ['state', 'code', 'iss', 'error']) {
    if (parameters.getAll(name).length > 1) {
      throw new RequestError('LATCHKEY_REQUEST_INVALID', `The parameter "${name}" is repeated.`)
    }
  }
  return parameters
}
