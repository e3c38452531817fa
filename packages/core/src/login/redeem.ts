import type {
  IDToken,
  ServerMetadata,
  TokenEndpointResponse,
  TokenEndpointResponseHelpers,
} from 'openid-client'
import { CallbackError, type LatchkeyError } from '../errors/errors.ts'
import { REMEDIES } from '../errors/remedies.ts'
import type { ClientAuth } from '../options/options.ts'
import { MIN_MAX_AGE_SECONDS } from '../provider/clock.ts'
import {
  factsOf,
  isResponseBodyError,
  isUnavailable,
  kitCause,
  printable,
  providerError,
  quoted,
} from '../provider/errors.ts'
import type { Provider } from '../provider/provider.ts'
import { type IdTokenExpectations, idTokenFault } from '../provider/signed/id-token.ts'
import type { LoginTransaction } from './transaction.ts'

/** The tokens of a login that passed every check. */
export interface Redeemed {
  readonly tokens: TokenEndpointResponse & { expiresIn(): number | undefined }
  readonly claims: IDToken
  /** The ID token as the provider sent it. */
  readonly idToken: string
  /** The issuer in the ID token (`iss`). */
  readonly issuer: string
  /** The key that the access token is bound to; `undefined` for an unbound token. */
  readonly proofKey: string | undefined
}

const CAUSES = REMEDIES.LATCHKEY_CODE_REFUSED

/**
 * Redeems the code of an authorization response: checks `iss` and `state`, sends the code with the
 * PKCE verifier, and validates the ID token's signature and claims.
 *
 * @param now - Seconds since the epoch.
 * @param tokenParams - Parameters added to the token request.
 * @throws {@link CallbackError} naming the check that failed; {@link ProviderError} when the
 *   provider does not answer.
 */
export async function redeem(
  provider: Provider,
  transaction: LoginTransaction,
  parameters: URLSearchParams,
  now: number,
  tokenParams: Readonly<Record<string, string>>,
): Promise<Redeemed> {
  const metadata = await provider.metadata()
  const secrets = secretsOf(provider, transaction, parameters)
  checkResponse(provider, metadata, transaction, parameters, secrets)
  const expected = {
    issuer: metadata.issuer,
    entraTenants: provider.entraTenants,
    clientId: provider.clientId,
    now,
    login: {
      nonce: transaction.nonce,
      startedAt: transaction.createdAt,
      maxAge:
        transaction.maxAge === undefined
          ? undefined
          : Math.max(transaction.maxAge, MIN_MAX_AGE_SECONDS),
    },
  }
  const proofKey = provider.dpop ? await provider.proofs.makeKey() : undefined
  const request = { transaction, parameters, tokenParams, proofKey }
  const { tokens, idToken } = await exchange(provider, request).catch((error) => {
    throw exchangeError(error, expected, secrets, {
      redirectUri: transaction.redirectUri,
      client: clientRemedy(provider, metadata),
    })
  })
  if (proofKey !== undefined && tokens.token_type !== 'dpop') {
    throw invalid(
      'The access token is not bound to a key. Turn DPoP on for this application at the provider, or leave "dpop" and "profile" out.',
    )
  }
  const claims = tokens.claims()
  if (!claims) throw invalid('The provider sent no ID token.')
  const { header, fault, remedy } = await provider.verify(idToken)
  if (!header) throw invalid(`The signature of the ID token ${fault}.`, remedy)
  const accessToken = tokens.access_token
  const wrong = claimsError(claims, { ...expected, accessToken, alg: header.alg })
  if (wrong) throw wrong
  if (transaction.acr && !transaction.acr.includes(String(claims.acr))) {
    throw new CallbackError(
      'LATCHKEY_STEP_UP_FAILED',
      `The login has "acr" "${printable(claims.acr)}", not one of those asked for: ${transaction.acr.join(', ')}.`,
    )
  }
  return { tokens, claims, idToken, issuer: claims.iss, proofKey }
}

/** Checks the authorization response (RFC 6749 §4.1.2, RFC 9207 §2.4). */
function checkResponse(
  { profile }: Provider,
  metadata: ServerMetadata,
  transaction: LoginTransaction,
  parameters: URLSearchParams,
  secrets: readonly string[],
): void {
  const { issuer, authorization_response_iss_parameter_supported: isPromised } = metadata
  const iss = parameters.get('iss')
  if (iss ? iss !== issuer : isPromised || profile !== undefined) {
    const found = iss
      ? `is from "${printable(iss, 200)}"`
      : 'does not say which provider it is from'
    throw new CallbackError(
      'LATCHKEY_ISSUER_MISMATCH',
      `The response ${found}; the login began with "${issuer}".`,
    )
  }
  if (parameters.get('state') !== transaction.state) {
    throw new CallbackError('LATCHKEY_STATE_MISMATCH', 'The state is not the one that was sent.')
  }
  const error = parameters.get('error')
  if (error) {
    const detail = quoted(error, parameters.get('error_description'), secrets)
    throw new CallbackError('LATCHKEY_LOGIN_DENIED', `The provider reported ${detail}.`, {
      providerError: printable(error),
    })
  }
  if (!parameters.get('code')) throw invalid('The response has neither a "code" nor an "error".')
}

interface Exchange {
  readonly transaction: LoginTransaction
  readonly parameters: URLSearchParams
  readonly tokenParams: Readonly<Record<string, string>>
  readonly proofKey: string | undefined
}

function exchange(
  provider: Provider,
  { transaction, parameters, tokenParams, proofKey }: Exchange,
): Promise<{ tokens: TokenEndpointResponse & TokenEndpointResponseHelpers; idToken: string }> {
  const url = new URL(transaction.redirectUri)
  url.search = parameters.toString()
  return provider.call(async (client, configuration, sent) => {
    const tokens = await client.authorizationCodeGrant(
      configuration,
      url,
      {
        pkceCodeVerifier: transaction.codeVerifier,
        expectedState: transaction.state,
        expectedNonce: transaction.nonce,
        idTokenExpected: true,
      },
      tokenParams,
      proofKey === undefined
        ? {}
        : { DPoP: await provider.proofs.handle(client, configuration, proofKey) },
    )
    return { tokens, idToken: String(sent().id_token) }
  })
}

function claimsError(
  claims: Partial<IDToken>,
  expected: IdTokenExpectations,
): CallbackError | undefined {
  const fault = idTokenFault(claims, expected)
  if (!fault) return undefined
  if (fault.claim !== 'auth_time') return invalid(fault.message, fault.remedy)
  return new CallbackError('LATCHKEY_STEP_UP_FAILED', fault.message)
}

/** Values of the token request, for the message of an error. */
interface Sent {
  readonly redirectUri: string
  /** The remedy for a refused client. */
  readonly client: string
}

function exchangeError(
  error: unknown,
  expected: IdTokenExpectations,
  secrets: readonly string[],
  sent: Sent,
): LatchkeyError {
  if (kitCause(error) || isUnavailable(error)) return providerError(error, 'did not answer')
  if (isResponseBodyError(error)) {
    const detail = quoted(error.error, error.error_description, secrets)
    return codeRefused(printable(error.error), detail, sent)
  }
  const { status = 200, claims, reason, algorithm } = factsOf(error)
  if (status === 401) return codeRefused('invalid_client', 'status 401', sent)
  if (status >= 400) return codeRefused(undefined, `status ${status}`, sent)
  if (algorithm) {
    return invalid(
      `The ID token is signed with "${algorithm.found}", and the discovery document of the provider names ${algorithm.expected}.`,
      REMEDIES.LATCHKEY_TOKEN_INVALID.algorithm,
    )
  }
  const wrong = claims && claimsError(claims, expected)
  return wrong ?? invalid(`The token response cannot be used${reason ? `: ${reason}` : ''}.`)
}

/**
 * The remedy for a refused client. If discovery does not list PKCE, the remedy names PKCE too,
 * because some providers refuse a PKCE verifier with the same error.
 */
function clientRemedy(
  { clientAuth = 'default' }: { clientAuth: ClientAuth | 'default' | undefined },
  { code_challenge_methods_supported: methods }: ServerMetadata,
): string {
  const remedy = CAUSES.client[clientAuth]
  if (methods?.includes('S256')) return remedy
  return `${remedy} Or it knows no PKCE: discovery does not name it.`
}

function codeRefused(code: string | undefined, detail: string, sent: Sent): CallbackError {
  // These codes mean that the application's registration is wrong, not the visitor's login.
  const isOurs = code === 'invalid_client' || code === 'unauthorized_client'
  const isGrant = code === 'invalid_grant'
  const uri = isGrant ? `; the redirect URI was ${sent.redirectUri}` : ''
  const remedy = isOurs ? sent.client : isGrant ? CAUSES.grant : undefined
  return new CallbackError(
    'LATCHKEY_CODE_REFUSED',
    `The provider refused the code with ${detail}${uri}.`,
    {
      providerError: code,
      ...(isOurs ? { status: 500 } : {}),
      ...(remedy === undefined ? {} : { remedy }),
    },
  )
}

function secretsOf(
  provider: Provider,
  { codeVerifier, nonce, state }: LoginTransaction,
  parameters: URLSearchParams,
): string[] {
  const all = [parameters.get('code'), provider.clientSecret(), codeVerifier, nonce, state]
  return all.filter((one) => typeof one === 'string')
}

function invalid(message: string, remedy?: string): CallbackError {
  return new CallbackError(
    'LATCHKEY_TOKEN_INVALID',
    message,
    remedy === undefined ? {} : { remedy },
  )
}
