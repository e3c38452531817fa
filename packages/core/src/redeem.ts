import type {
  Configuration,
  IDToken,
  TokenEndpointResponse,
  TokenEndpointResponseHelpers,
} from 'openid-client'
import { isIssuedTo } from './authorized-party.ts'
import { CallbackError, type LatchkeyError } from './errors.ts'
import type { OpenidClient } from './openid-client.ts'
import type { Provider } from './provider.ts'
import {
  isAuthorizationResponseError,
  isResponseBodyError,
  isUnavailable,
  kitCause,
  printable,
  providerError,
} from './provider-error.ts'
import type { LoginTransaction } from './transaction.ts'

/** What a code was exchanged for, every check passed. */
export interface Redeemed {
  readonly tokens: TokenEndpointResponse & { expiresIn(): number | undefined }
  readonly claims: IDToken
  /** The provider's own name. */
  readonly issuer: string
}

const MIN_MAX_AGE = 60
const CLIENT_REMEDY =
  'Check "clientSecret" and "clientId". Some providers need clientAuth: \'client_secret_post\'.'

/**
 * Redeems the code of an authorization response: checks state and `iss`, sends the code with the PKCE
 * verifier, and validates the ID Token's signature, issuer, audience, times, nonce, `auth_time` and `acr`.
 *
 * @throws {@link CallbackError} saying which of them failed.
 */
export async function redeem(
  provider: Provider,
  transaction: LoginTransaction,
  parameters: URLSearchParams,
): Promise<Redeemed> {
  const { client, configuration, metadata } = await provider.state()
  const tokens = await exchange(client, configuration, transaction, parameters).catch((error) => {
    throw callbackError(error, transaction)
  })
  const claims = tokens.claims()
  if (!claims) throw new CallbackError('LATCHKEY_TOKEN_INVALID', 'The provider sent no ID Token.')
  const signature = await provider.signature(tokens.id_token ?? '')
  if (signature !== 'good') {
    const message = `The signature of the ID Token is ${signature}.`
    throw new CallbackError('LATCHKEY_TOKEN_INVALID', message)
  }
  if (claims.sub === '') throw new CallbackError('LATCHKEY_TOKEN_INVALID', 'The "sub" is empty.')
  if (!isIssuedTo(claims, provider.clientId)) {
    throw new CallbackError('LATCHKEY_TOKEN_INVALID', 'The ID Token was issued to another client.')
  }
  if (transaction.acr && !transaction.acr.includes(String(claims.acr))) {
    throw new CallbackError(
      'LATCHKEY_STEP_UP_FAILED',
      'The provider signed the user in with another "acr" than the ones asked for.',
    )
  }
  return { tokens, claims, issuer: metadata.issuer }
}

function exchange(
  client: OpenidClient,
  configuration: Configuration,
  transaction: LoginTransaction,
  parameters: URLSearchParams,
): Promise<TokenEndpointResponse & TokenEndpointResponseHelpers> {
  const url = new URL(transaction.redirectUri)
  url.search = parameters.toString()
  const { maxAge } = transaction
  return client.authorizationCodeGrant(configuration, url, {
    pkceCodeVerifier: transaction.codeVerifier,
    expectedState: transaction.state,
    expectedNonce: transaction.nonce,
    idTokenExpected: true,
    ...(maxAge === undefined ? {} : { maxAge: Math.max(maxAge, MIN_MAX_AGE) }),
  })
}

function callbackError(error: unknown, transaction: LoginTransaction): LatchkeyError {
  if (kitCause(error) || isUnavailable(error)) return providerError(error, 'did not answer')
  if (isAuthorizationResponseError(error)) {
    const code = printable(error.error)
    return new CallbackError('LATCHKEY_LOGIN_DENIED', `The provider reported "${code}".`, {
      providerError: code,
    })
  }
  if (isResponseBodyError(error)) {
    const code = printable(error.error)
    const isOurs = code === 'invalid_client' || code === 'unauthorized_client'
    const remedy = isOurs ? ` ${CLIENT_REMEDY}` : ''
    const message = `The provider refused the code with "${code}".${remedy}`
    return new CallbackError('LATCHKEY_CODE_REFUSED', message, {
      providerError: code,
      // The application's own registration is wrong, not the visitor's login.
      ...(isOurs ? { status: 500 } : {}),
    })
  }
  const { claim, parameter } = refusedPart(error)
  if (parameter === 'iss') {
    return new CallbackError(
      'LATCHKEY_ISSUER_MISMATCH',
      'The response is from another provider, or does not say which one it is from.',
    )
  }
  if (parameter === 'state') {
    return new CallbackError('LATCHKEY_STATE_MISMATCH', 'The state is not the one that was sent.')
  }
  if (claim === 'auth_time' && transaction.maxAge !== undefined) {
    return new CallbackError('LATCHKEY_STEP_UP_FAILED', 'The login was not recent enough.')
  }
  return new CallbackError('LATCHKEY_TOKEN_INVALID', `${refusal(error)}.`)
}

/** Which claim or parameter was refused, from the facts openid-client attaches. */
function refusedPart(error: unknown): { claim?: string; parameter?: string } {
  let found: { claim?: string; parameter?: string } = {}
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const facts = cause.cause as { claim?: unknown; parameters?: unknown } | undefined
    if (typeof facts?.claim === 'string') found = { claim: facts.claim }
    const named = /response parameter "(iss|state)"|"(iss|state)"[^"]* response parameter/.exec(
      cause.message,
    )
    const parameter = named?.[1] ?? named?.[2]
    if (parameter && !found.claim) found = { parameter }
    if (/auth_time/.test(cause.message)) found = { claim: 'auth_time' }
  }
  return found
}

/** What was wrong, in words that hold nothing of the tokens. */
function refusal(error: unknown): string {
  const { claim } = refusedPart(error)
  if (claim) return `The ID Token has an unusable "${printable(claim)}"`
  const code = String((error as { code?: string }).code ?? '')
  return `The provider's response did not pass validation${code ? ` (${printable(code)})` : ''}`
}
