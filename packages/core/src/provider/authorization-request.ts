import type { ServerMetadata } from 'openid-client'
import { ProviderError } from '../errors/errors.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import { PROTECTED_PARAMETERS } from '../shared/protected-parameters.ts'
import { providerError } from './errors.ts'
import type { ClientCall } from './openid-client.ts'

/** The parameters of one authorization request, besides those that all requests have. */
export interface AuthorizationRequest {
  /**
   * Parameters that are new for each request. Their values have only characters of base64url and
   * dots, which need no encoding.
   */
  readonly fresh: Readonly<Record<'state' | 'nonce' | 'code_challenge', string>>
  readonly chosen: Readonly<Record<string, string>>
  /**
   * Whether the parameters are sent to the provider directly (RFC 9126). If the provider requires
   * it, this is done in any case.
   */
  readonly isPushed: boolean
}

/** The parameters that every authorization request of an application has in common. */
export function commonParameters(
  { scope, responseMode }: Pick<ResolvedAuthOptions, 'scope' | 'responseMode'>,
  redirectUri: string,
): Record<string, string> {
  return {
    response_type: 'code',
    redirect_uri: redirectUri,
    scope,
    code_challenge_method: 'S256',
    ...(responseMode === 'form_post' ? { response_mode: 'form_post' } : {}),
  }
}

/**
 * The start of all authorization URLs: the endpoint with the common parameters. The parameters of a
 * request are appended to it. The endpoint's own parameters stay, except those that the kit sets
 * (RFC 6749 §3.1).
 */
export function authorizationPrefix(
  metadata: ServerMetadata,
  common: Readonly<Record<string, string>>,
): string {
  const url = new URL(metadata.authorization_endpoint ?? '')
  for (const name of PROTECTED_PARAMETERS) url.searchParams.delete(name)
  for (const [name, value] of Object.entries(common)) url.searchParams.set(name, value)
  url.hash = ''
  return `${url.href}&`
}

/** The URL of an authorization request. */
export function authorizationUrl(
  prefix: string,
  { fresh, chosen }: Pick<AuthorizationRequest, 'fresh' | 'chosen'>,
): string {
  const { state, nonce, code_challenge: challenge } = fresh
  const url = `${prefix}state=${state}&nonce=${nonce}&code_challenge=${challenge}`
  return Object.keys(chosen).length > 0 ? `${url}&${new URLSearchParams(chosen)}` : url
}

/**
 * Sends the parameters of an authorization request to the provider. Resolves to a URL that refers
 * to them (RFC 9126).
 *
 * @throws {@link ProviderError} if the provider does not support pushed requests, refuses this one,
 *   or does not answer.
 */
export async function pushedUrl(
  metadata: ServerMetadata,
  call: ClientCall,
  parameters: Record<string, string>,
): Promise<string> {
  if (!metadata.pushed_authorization_request_endpoint) {
    const message =
      'The provider names no pushed_authorization_request_endpoint; turn "pushedAuthorizationRequests" off.'
    throw new ProviderError('LATCHKEY_PROVIDER_INVALID', message)
  }
  try {
    const url = await call((client, configuration) =>
      client.buildAuthorizationUrlWithPAR(configuration, parameters),
    )
    return url.href
  } catch (cause) {
    throw providerError(cause, 'refused the pushed authorization request')
  }
}
