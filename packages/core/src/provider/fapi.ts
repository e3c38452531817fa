import type { ServerMetadata } from 'openid-client'
import { ProviderError } from '../errors/errors.ts'

/** The algorithms of FAPI 2.0 (Security Profile §5.4.1), and of the proofs that guards accept. */
export const FAPI_ALGORITHMS: ReadonlySet<string> = new Set(['PS256', 'ES256', 'EdDSA', 'Ed25519'])

/**
 * Checks that a provider announces what FAPI 2.0 needs, before the first login finds out.
 *
 * @throws {@link ProviderError} naming everything that is missing.
 * @see FAPI 2.0 Security Profile §5.3.2
 */
export function mustOfferFapi(metadata: ServerMetadata): void {
  const lists = (name: string, values: Iterable<string>): boolean => {
    const known = metadata[name]
    return Array.isArray(known) && [...values].some((value) => known.includes(value))
  }
  const needed: readonly (readonly [what: string, isThere: boolean])[] = [
    [
      '"pushed_authorization_request_endpoint"',
      metadata.pushed_authorization_request_endpoint !== undefined,
    ],
    [
      '"authorization_response_iss_parameter_supported"',
      metadata.authorization_response_iss_parameter_supported === true,
    ],
    [
      '"private_key_jwt" in "token_endpoint_auth_methods_supported"',
      lists('token_endpoint_auth_methods_supported', ['private_key_jwt']),
    ],
    [
      '"ES256" in "dpop_signing_alg_values_supported"',
      lists('dpop_signing_alg_values_supported', ['ES256']),
    ],
    [
      '"PS256", "ES256" or "EdDSA" in "id_token_signing_alg_values_supported"',
      lists('id_token_signing_alg_values_supported', FAPI_ALGORITHMS),
    ],
  ]
  const missing = needed.filter(([, isThere]) => !isThere).map(([what]) => what)
  if (missing.length === 0) return
  throw new ProviderError(
    'LATCHKEY_PROVIDER_INVALID',
    `The discovery document of the provider lacks what profile: 'fapi2' needs: ${missing.join('; ')}.`,
  )
}
