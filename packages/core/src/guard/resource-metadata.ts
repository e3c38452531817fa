import type { RequestContext } from '../context.ts'
import type { AuthResponse } from '../http/request.ts'
import type { ResolvedResource } from '../http/resources.ts'
import { FAPI_ALGORITHMS } from '../provider/fapi.ts'

/** The seconds for which caches may keep the metadata. */
const CACHE_SECONDS = 300
const METHODS = 'GET, HEAD, OPTIONS'

/** The headers that let pages of every origin read the metadata, which is public. */
const OPEN: AuthResponse['headers'] = [
  ['access-control-allow-origin', '*'],
  ['x-content-type-options', 'nosniff'],
]

/**
 * Answers with the metadata of a resource: its name, the provider that issues tokens for it, and
 * its scopes.
 *
 * @see RFC 9728 §2, §3.2
 */
export async function handleResourceMetadata(
  asked: RequestContext,
  resource: ResolvedResource,
): Promise<AuthResponse> {
  const { options } = asked.context
  const { issuer } = await (await asked.provider()).metadata()
  const scopes = Object.keys(resource.scopes ?? {})
  const document = {
    resource: resource.identifier,
    authorization_servers: [issuer],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
    ...(resource.name && { resource_name: resource.name }),
    ...(resource.documentation && { resource_documentation: resource.documentation }),
    ...(resource.policy && { resource_policy_uri: resource.policy }),
    ...(options.bearer?.isProofRequired && {
      dpop_bound_access_tokens_required: true,
      dpop_signing_alg_values_supported: [...FAPI_ALGORITHMS],
    }),
  }
  const headers: AuthResponse['headers'] = [
    ['content-type', 'application/json'],
    ['cache-control', `public, max-age=${CACHE_SECONDS}`],
    ...OPEN,
  ]
  return { status: 200, headers, body: JSON.stringify(document) }
}

/**
 * Answers the preflight request of a browser, which clients cause by the header
 * `MCP-Protocol-Version`.
 */
export async function handleMetadataPreflight(): Promise<AuthResponse> {
  const headers: AuthResponse['headers'] = [
    ['allow', METHODS],
    ['access-control-allow-methods', METHODS],
    ['access-control-allow-headers', '*'],
    ['access-control-max-age', '86400'],
    ...OPEN,
  ]
  return { status: 204, headers }
}
