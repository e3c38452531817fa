import type { ServerMetadata } from 'openid-client'
import { ProviderError } from '../errors/errors.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'

/**
 * The algorithms of FAPI 2.0 (Security Profile §5.4.1), which are also those of the proofs that
 * guards accept.
 */
export const FAPI_ALGORITHMS: ReadonlySet<string> = new Set(['PS256', 'ES256', 'EdDSA', 'Ed25519'])

/** The options that require more of a provider than OpenID Connect does. */
type Demands = Pick<ResolvedAuthOptions, 'profile' | 'dpop'>

/**
 * Checks that a provider announces the features that FAPI 2.0 or DPoP needs, so that a lack is
 * found before the first login.
 *
 * @throws {@link ProviderError} naming everything that is missing.
 * @see FAPI 2.0 Security Profile §5.3.2, RFC 9449 §5.1
 */
export function mustOffer(metadata: ServerMetadata, { profile, dpop }: Demands): void {
  const needed = [...(profile ? FAPI_NEEDS : []), ...(dpop ? DPOP_NEEDS : [])]
  const missing = needed.filter(([, isThere]) => !isThere(metadata)).map(([what]) => what)
  if (missing.length === 0) return
  const option = profile ? "profile: 'fapi2'" : 'dpop: true'
  throw new ProviderError(
    'LATCHKEY_PROVIDER_INVALID',
    `The discovery document of the provider lacks what ${option} needs: ${missing.join('; ')}.`,
  )
}

type Need = readonly [what: string, isThere: (metadata: ServerMetadata) => boolean]

const FAPI_NEEDS: readonly Need[] = [
  [
    '"pushed_authorization_request_endpoint"',
    (metadata) => metadata.pushed_authorization_request_endpoint !== undefined,
  ],
  [
    '"authorization_response_iss_parameter_supported"',
    (metadata) => metadata.authorization_response_iss_parameter_supported === true,
  ],
  [
    '"private_key_jwt" in "token_endpoint_auth_methods_supported"',
    (metadata) => lists(metadata.token_endpoint_auth_methods_supported, ['private_key_jwt']),
  ],
  [
    '"PS256", "ES256" or "EdDSA" in "id_token_signing_alg_values_supported"',
    (metadata) => lists(metadata.id_token_signing_alg_values_supported, FAPI_ALGORITHMS),
  ],
]

const DPOP_NEEDS: readonly Need[] = [
  [
    '"ES256" in "dpop_signing_alg_values_supported"',
    (metadata) => lists(metadata.dpop_signing_alg_values_supported, ['ES256']),
  ],
]

function lists(known: unknown, values: Iterable<string>): boolean {
  return Array.isArray(known) && [...values].some((value) => known.includes(value))
}
