import type { AuthorizationServer as ServerMetadata } from 'oauth4webapi'
import { type LatchkeyError, ProviderError } from '../errors/errors.ts'
import { discoveryUrlOf } from '../http/issuer-url.ts'
import type { ResolvedRegistration } from '../options/options.ts'
import { parseRecord } from '../shared/records.ts'
import { factsOf, isUnavailable, kitCause, printable } from './errors.ts'
import { loadOAuth } from './oauth.ts'
import { checkMetadata } from './provider-metadata.ts'
import type { ProviderFetch } from './transport.ts'

const MAX_REDIRECTS = 3

/**
 * Fetches the discovery document of an issuer, or takes that of the options.
 *
 * @param overrides - Members that replace those of the document.
 * @throws {@link ProviderError} when it cannot be had or used, or names another issuer.
 * @see OpenID Connect Discovery 1.0 §4
 */
export async function discover(
  registration: ResolvedRegistration,
  overrides: Readonly<Record<string, unknown>>,
  fetch: ProviderFetch,
): Promise<ServerMetadata> {
  const { issuer, discovery } = registration
  try {
    const oauth = await loadOAuth()
    const found = discovery instanceof URL ? await fetchDocument(discovery, fetch) : discovery
    if (!found)
      throw unusable(discovery instanceof URL ? discovery : discoveryUrlOf(issuer), undefined)
    const document = { ...found, ...overrides }
    const metadata = await oauth.processDiscoveryResponse(
      expectedIssuer(issuer, document),
      Response.json(document),
    )
    checkMetadata(metadata, issuer.protocol === 'http:')
    return metadata
  } catch (cause) {
    throw discoveryError(cause, registration)
  }
}

/** The issuer that a document has to name. The documents of Entra ID and Azure AD B2C name others than their address. */
function expectedIssuer(issuer: URL, { issuer: named }: { readonly issuer?: unknown }): URL {
  const isMicrosofts =
    issuer.origin === 'https://login.microsoftonline.com' ||
    issuer.hostname.endsWith('.b2clogin.com')
  return (isMicrosofts && URL.parse(String(named))) || issuer
}

/** Some providers redirect to the same address with a slash: redirects on the origin are followed. */
async function fetchDocument(address: URL, fetch: ProviderFetch): Promise<object | undefined> {
  let url = address
  for (let redirects = 0; ; redirects++) {
    const { status, headers, body } = await fetch(url.href, {
      headers: { accept: 'application/json' },
    })
    if (status === 200) return parseRecord(body)
    const location = headers.find(([name]) => name === 'location')?.[1]
    const next =
      location && URL.canParse(location, url.href) ? new URL(location, url.href) : undefined
    if (status < 300 || status > 399 || next?.origin !== address.origin) {
      throw unusable(
        address,
        `it answers with status ${status}${next ? ` and redirects to ${next.origin}` : ''}`,
      )
    }
    if (redirects === MAX_REDIRECTS) throw unusable(address, 'there are too many redirects')
    url = next
  }
}

function discoveryError(
  cause: unknown,
  { issuer, discovery }: ResolvedRegistration,
): LatchkeyError {
  const known = kitCause(cause)
  if (known) return known
  if (isUnavailable(cause)) {
    return new ProviderError(
      'LATCHKEY_PROVIDER_UNAVAILABLE',
      `${issuer.href} did not answer in time.`,
    )
  }
  const { body, reason } = factsOf(cause)
  const address = discovery instanceof URL ? discovery : discoveryUrlOf(issuer)
  if (typeof body?.issuer !== 'string' || body.issuer === issuer.href)
    return unusable(address, reason)
  const named = printable(body.issuer, 200)
  const message = `The discovery document of "${issuer.href}" names another issuer. If it is your provider's, set ${optionsFor(named, address)}.`
  return new ProviderError('LATCHKEY_PROVIDER_INVALID', message)
}

/** The options for a discovery document; with both addresses, if the issuer has another one. */
function optionsFor(named: string, address: URL): string {
  const issuer = URL.parse(named)
  const isItsOwn = issuer !== null && discoveryUrlOf(issuer).href === address.href
  return `issuer: "${named}"${isItsOwn ? '' : ` and discoveryUrl: "${address.href}"`}`
}

const ELSEWHERE =
  'Is "issuer" right? If the document is at another address, set "discoveryUrl". If the provider has none, set "metadata" with "authorization_endpoint", "token_endpoint" and "jwks_uri".'

function unusable(address: URL, why: string | undefined): ProviderError {
  const message = `There is no usable discovery document at ${address.href}${why ? ` (${why})` : ''}. ${ELSEWHERE}`
  return new ProviderError('LATCHKEY_PROVIDER_INVALID', message)
}
