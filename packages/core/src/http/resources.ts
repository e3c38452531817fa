import { partsOf, pathOf } from './request.ts'

/** An API or MCP server of this application. Clients find its metadata by its URL (RFC 9728). */
export interface ResourceOptions {
  /**
   * The path, relative to `baseUrl`, such as `/mcp`. It covers every path below. The whole URL is
   * the identifier of the resource, which its access tokens must have as `aud`.
   */
  readonly path: string
  /** The name that users see, such as `Notes`: at most 100 bytes. */
  readonly name?: string
  /**
   * The scopes, at most 100, each with a description for users: `{ 'notes:read': 'Read your notes'
   * }`.
   */
  readonly scopes?: Readonly<Record<string, string>>
  /** The URL of the documentation for developers. */
  readonly documentation?: string
  /** The URL of a page that says how clients may use the data. */
  readonly policy?: string
}

/** A resource with its URLs at one base URL. */
export interface ResolvedResource extends ResourceOptions {
  /** The path in public URLs, which begins with the path of `baseUrl`. */
  readonly publicPath: string
  /** The identifier that clients send as `resource`, and the `aud` of their tokens. */
  readonly identifier: string
  /**
   * The paths of requests for the metadata: at the origin, and as the kit sees them below the path
   * of `baseUrl`.
   */
  readonly metadataPaths: readonly string[]
  /** The public URL of the metadata. */
  readonly metadataUrl: string
}

/**
 * The start of the path of a resource's metadata.
 *
 * @see RFC 9728 §3
 */
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
      // The kit sees a request outside of the path of `baseUrl` as if a proxy had removed that
      // path.
      metadataPaths: [...new Set([metadataPath, prefix + metadataPath])],
      metadataUrl: origin + metadataPath,
    }
  })
  return placed.sort((one, other) => other.publicPath.length - one.publicPath.length)
}

/**
 * The resource that a URL belongs to; `undefined` outside of all resources. Letter case,
 * percent-encoding and doubled slashes are ignored, as some routers do. So a URL that reaches the
 * routes of one resource never counts as a URL of another.
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
