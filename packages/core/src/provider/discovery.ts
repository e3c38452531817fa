import type { Configuration, ServerMetadata } from 'openid-client'
import { type LatchkeyError, ProviderError } from '../errors/errors.ts'
import { discoveryUrlOf } from '../http/issuer-url.ts'
import type { ResolvedRegistration } from '../options/options.ts'
import { parseRecord } from '../shared/records.ts'
import { factsOf, isUnavailable, kitCause, printable } from './errors.ts'
import { loadOpenidClient, type OpenidClient } from './openid-client.ts'
import { checkMetadata } from './provider-metadata.ts'
import type { ProviderFetch } from './transport.ts'

/** A provider's discovery document, and how configurations of openid-client are made from it. */
export interface Discovered {
  readonly metadata: ServerMetadata
  /** Makes a configuration of openid-client; its caller decides how the provider is reached. */
  configure(authentication: ClientAuthentication): Promise<Configuration>
}

type ClientAuthentication = Parameters<OpenidClient['discovery']>[3]

const MAX_REDIRECTS = 3

/**
 * Fetches the discovery document of an issuer, or takes that of the options.
 *
 * @param overrides - Members that replace those of the document.
 * @throws {@link ProviderError} when it cannot be had or used.
 * @see OpenID Connect Discovery 1.0 §4
 */
export async function discover(
  registration: ResolvedRegistration,
  overrides: Readonly<Record<string, unknown>>,
  fetch: ProviderFetch,
): Promise<Discovered> {
  const { issuer, discovery } = registration
  try {
    const found = discovery instanceof URL ? await fetchDocument(discovery, fetch) : discovery
    const document = found && asJson<ServerMetadata>({ ...found, ...overrides })
    const isInsecure = issuer.protocol === 'http:'
    const configure: Discovered['configure'] = async (authentication) => {
      const client = await loadOpenidClient()
      const configuration = await client.discovery(
        issuer,
        registration.clientId,
        {},
        authentication,
        {
          execute: isInsecure ? [client.allowInsecureRequests] : [],
          timeout: 0,
          [client.customFetch]: async () => Response.json(document),
        },
      )
      // Each exchange is timed where it takes place.
      configuration.timeout = 0
      return configuration
    }
    // A redirect to the provider need not wait for openid-client. It judges a document that names another issuer,
    // as Entra ID has some, and checks every document again before a code or token is sent.
    const accepted = document && names(issuer, document) ? document : await judged(configure)
    return { metadata: checkMetadata(accepted, isInsecure), configure }
  } catch (cause) {
    throw discoveryError(cause, registration)
  }
}

/** Whether a document names the expected issuer (OpenID Connect Discovery 1.0 §4.3). */
function names(expected: URL, { issuer }: Partial<ServerMetadata>): boolean {
  return typeof issuer === 'string' && URL.parse(issuer)?.href === expected.href
}

/** The metadata as openid-client accepts them. */
async function judged(configure: Discovered['configure']): Promise<ServerMetadata> {
  const { None } = await loadOpenidClient()
  const configuration = await configure(None())
  // Without the helpers that openid-client adds to it.
  return asJson(configuration.serverMetadata())
}

function asJson<T>(value: object): T {
  return JSON.parse(JSON.stringify(value)) as T
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
