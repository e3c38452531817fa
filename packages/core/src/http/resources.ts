import { partsOf, pathOf } from './request.ts'

/**
 * An API or MCP server of this application. Clients find its metadata by its address (RFC 9728).
 */
export interface ResourceOptions {
  /**
   * The path, relative to `baseUrl`, such as `/mcp`. It covers every address below. The whole
   * address is the identifier of the resource, which its access tokens must have as `aud`.
   */
  readonly path: string
  /** The name that users see, such as `Notes`: at most 100 bytes. */
  readonly name?: string
  /**
   * The scopes, at most 100, each with a description for users: `{ 'notes:read': 'Read your notes'
   * }`.
   */
  readonly scopes?: Readonly<Record<string, string>>
  /** The address of the documentation for developers. */
  readonly documentation?: string
  /** The address of a page that says how clients may use the data. */
  readonly policy?: string
}

/** A resource with its addresses at one base URL. */
export interface ResolvedResource extends ResourceOptions {
  /** The path in public addresses, which begins with that of `baseUrl`. */
  readonly publicPath: string
  /** The identifier that clients send as `resource`, and the `aud` of their tokens. */
  readonly identifier: string
  /** The paths of requests for the metadata: at the origin, and as the kit sees them below the path of `baseUrl`. */
  readonly metadataPaths: readonly string[]
  /** The public address of the metadata. */
  readonly metadataUrl: string
}

/** @see RFC 9728 §3 */
const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** The resources at one of the base URLs; the longest path comes first. */
export function resourcesAt(
  resources: readonly ResourceOptions[],
  baseUrl: URL,
): readonly ResolvedResource[] {
  const { origin, prefix } = partsOf(baseUrl)
  const placed = resources.map((one): ResolvedResource => {
    const below = prefix + (one.path === '/' ? '' : one.path)
    const metadataPath = WELL_KNOWN + below
    return {
      ...one,
      publicPath: below || '/',
      // Clients parse the identifier as a URL, and a URL without a path gets a slash.
      identifier: origin + (below || '/'),
      // A request outside of the path of `baseUrl` looks as if a proxy had left that path out.
      metadataPaths: [...new Set([metadataPath, prefix + metadataPath])],
      metadataUrl: origin + metadataPath,
    }
  })
  return placed.sort((one, other) => other.publicPath.length - one.publicPath.length)
}

/**
 * The resource that an address belongs to. Letter case, percent-encoding and doubled slashes are
 * ignored, as some routers do. So an address that reaches the routes of one resource is never taken
 * for another.
 */
export function resourceAt(
  resources: readonly ResolvedResource[],
  url: string,
): ResolvedResource | undefined {
  if (resources.length === 0) return undefined
  const path = plain(pathOf(url))
  return resources.find(({ publicPath }) => {
    const folder = plain(publicPath)
    if (folder === '/') return true
    return path.startsWith(folder) && /^([/;]|$)/.test(path.slice(folder.length))
  })
}

function plain(path: string): string {
  return decoded(path)
    .toLowerCase()
    .replace(/\/{2,}/g, '/')
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // A malformed path stays as it is. Routers do the same, or refuse it.
    return path
  }
}
