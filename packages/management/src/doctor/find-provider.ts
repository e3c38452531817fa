import type { Fetch, FetchResponse } from '../options.ts'

/** A discovery document, with its URL and issuer. */
export interface FoundProvider {
  /** The URL of the document, before redirects. */
  readonly address: URL
  readonly document: Readonly<Record<string, unknown>>
  /** The `issuer` of the document. */
  readonly issuer: string
}

/** A URL without a readable document, with the reason. */
export interface Attempt {
  readonly address: string
  readonly why: string
}

const WELL_KNOWN = '/.well-known/openid-configuration'
const MAX_REDIRECTS = 5

/**
 * Looks for the discovery document of a provider: at the address itself, at the well-known path
 * after and before the path of the address, and at the root of the host. Redirects are followed. If
 * the issuer in the document has a document of its own that names the same issuer, that one is
 * returned.
 *
 * @param address - An issuer, a discovery document or another URL of the provider.
 * @returns `tried` lists the URLs without a readable document, each with the reason.
 */
export async function findProvider(
  address: URL,
  fetch: Fetch,
): Promise<{ readonly found?: FoundProvider; readonly tried: readonly Attempt[] }> {
  const tried: Attempt[] = []
  for (const candidate of candidatesOf(address)) {
    const found = await readDocument(candidate, fetch, tried)
    if (!found) continue
    // The document at the issuer's default URL is preferred if it names the same issuer.
    const own = discoveryUrlOf(found.issuer)
    if (!own || own.href === found.address.href) return { found, tried }
    const better = await readDocument(own, fetch, [])
    return { found: better?.issuer === found.issuer ? better : found, tried }
  }
  return { tried }
}

/**
 * The default URL of an issuer's discovery document; `undefined` if the issuer is not a URL, or has
 * a query or fragment.
 */
export function discoveryUrlOf(issuer: string): URL | undefined {
  const url = URL.parse(issuer)
  if (!url || url.search || url.hash) return undefined
  return new URL(url.pathname.replace(/\/$/, '') + WELL_KNOWN, url)
}

function candidatesOf(address: URL): URL[] {
  const { origin, pathname, search } = address
  const [path = ''] = pathname.replace(/\/$/, '').split(WELL_KNOWN)
  const all = [
    ...(pathname.includes(WELL_KNOWN) ? [pathname + search] : []),
    path + WELL_KNOWN + search,
    `${path}${WELL_KNOWN}/`,
    WELL_KNOWN + path,
    WELL_KNOWN,
  ]
  return [...new Set(all)].map((one) => new URL(one, origin))
}

async function readDocument(
  address: URL,
  fetch: Fetch,
  tried: Attempt[],
): Promise<FoundProvider | undefined> {
  try {
    const response = await follow(address, fetch)
    if (!response.ok) throw new Error(`status ${response.status}`)
    const document: unknown = JSON.parse(await response.text())
    const { issuer } = (document ?? {}) as { issuer?: unknown }
    if (typeof issuer !== 'string') throw new Error('no discovery document')
    return { address, issuer, document: document as FoundProvider['document'] }
  } catch (error) {
    const isOther = error instanceof SyntaxError
    tried.push({ address: address.href, why: isOther ? 'no discovery document' : reasonOf(error) })
    return undefined
  }
}

async function follow(address: URL, fetch: Fetch): Promise<FetchResponse> {
  let url = address
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(url.href, {
      method: 'GET',
      headers: { accept: 'application/json' },
      body: null,
      signal: AbortSignal.timeout(10_000),
    })
    const next = URL.parse(response.headers.get('location') ?? '', url.href)
    if (response.status < 300 || response.status > 399 || !next) return response
    if (next.protocol !== 'https:' && next.protocol !== url.protocol) {
      throw new Error(`a redirect to ${next.protocol}`)
    }
    url = next
  }
  throw new Error('too many redirects')
}

function reasonOf(error: unknown): string {
  const inner = error instanceof Error ? (error.cause ?? error) : error
  if (!(inner instanceof Error)) return 'unknown'
  return (inner as NodeJS.ErrnoException).code ?? inner.message
}
