import type { ServerMetadata } from 'openid-client'
import { ProviderError } from '../errors/errors.ts'
import { REQUIRED_MEMBERS } from '../http/issuer-url.ts'

const OPTIONAL = [
  'userinfo_endpoint',
  'end_session_endpoint',
  'pushed_authorization_request_endpoint',
] as const

/**
 * Checks that a provider's discovery document has usable URLs for a login, and returns the
 * document.
 *
 * @param allowHttp - Whether http URLs are allowed, because the issuer is one itself.
 * @throws {@link ProviderError} with `LATCHKEY_PROVIDER_INVALID` naming the member that is
 *   unusable.
 * @see OpenID Connect Discovery 1.0 §3
 */
export function checkMetadata(metadata: ServerMetadata, allowHttp: boolean): ServerMetadata {
  for (const name of [...REQUIRED_MEMBERS, ...OPTIONAL]) {
    const value: unknown = metadata[name]
    if (value === undefined && (OPTIONAL as readonly string[]).includes(name)) continue
    const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
    if (url?.protocol === 'https:' || (allowHttp && url?.protocol === 'http:')) continue
    throw new ProviderError(
      'LATCHKEY_PROVIDER_INVALID',
      `The metadata of ${metadata.issuer} has no usable "${name}": it must be an https:// address.`,
    )
  }
  return metadata
}
