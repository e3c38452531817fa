import type { AuthorizationServer as ServerMetadata } from 'oauth4webapi'
import { ProviderError } from '../errors/errors.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import { PROTECTED_PARAMETERS } from '../shared/protected-parameters.ts'
import { providerError } from './errors.ts'
import type { ClientCall } from './oauth.ts'

/** The parameters of one authorization request beside those that all have in common. */
export interface AuthorizationRequest {
  /** Base64url and dots, in which nothing has to be encoded. */
  readonly fresh: Readonly<Record<'state' | 'nonce' | 'code_challenge', string>>
  readonly chosen: Readonly<Record<string, string>>
  /** Whether the parameters go to the provider directly (RFC 9126). Default: when it asks for it. */
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
 * The authorization endpoint with what requests have in common; the rest of one follows. The endpoint
 * may have parameters of its own, but none that the kit decides (RFC 6749 §3.1).
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
 * The URL of an authorization request whose parameters the provider has received.
 *
 * @throws {@link ProviderError} when the provider knows no pushed requests, or refuses this one.
 */
export async function pushedUrl(
  metadata: ServerMetadata,
  clientId: string,
  call: ClientCall,
  parameters: Record<string, string>,
): Promise<string> {
  if (!metadata.pushed_authorization_request_endpoint) {
    const message =
      'The provider names no pushed_authorization_request_endpoint; turn "pushedAuthorizationRequests" off.'
    throw new ProviderError('LATCHKEY_PROVIDER_INVALID', message)
  }
  try {
    const { request_uri: requestUri } = await call(
      async ({ oauth, server, client, authenticate, options }) => {
        const { searchParams } = new URL(metadata.authorization_endpoint ?? '')
        for (const [name, value] of Object.entries(parameters)) searchParams.append(name, value)
        const answer = await oauth.pushedAuthorizationRequest(
          ...([server, client, authenticate, searchParams, options] as const),
        )
        return oauth.processPushedAuthorizationResponse(server, client, answer)
      },
    )
    const url = new URL(metadata.authorization_endpoint ?? '')
    url.searchParams.append('client_id', clientId)
    url.searchParams.append('request_uri', requestUri)
    return url.href
  } catch (cause) {
    throw providerError(cause, 'refused the pushed authorization request')
  }
}
