import type { Configuration, ServerMetadata } from 'openid-client'
import { type LatchkeyError, ProviderError } from '../errors/errors.ts'
import { discoveryUrlOf, isLoopbackHost } from '../http/issuer-url.ts'
import type { ResolvedRegistration } from '../options/options.ts'
import { presentMembers } from '../shared/present-members.ts'
import { parseRecord } from '../shared/records.ts'
import { factsOf, isUnavailable, kitCause, printable } from './errors.ts'
import { loadOpenidClient, type OpenidClient } from './openid-client.ts'
import { checkMetadata } from './provider-metadata.ts'
import type { ProviderFetch } from './transport.ts'

/**
 * A provider's discovery document, and the function that makes configurations of openid-client from
 * the document.
 */
export interface Discovered {
  readonly metadata: ServerMetadata
  /**
   * Makes a configuration of openid-client. The caller must set its `fetch`, which serves only the
   * discovery document.
   */
  configure(authentication: ClientAuthentication): Promise<Configuration>
}

type ClientAuthentication = Parameters<OpenidClient['discovery']>[3]

const MAX_REDIRECTS = 3

/**
 * Fetches the discovery document of an issuer, or takes the document in the options.
 *
 * @param overrides - Members that replace those of the document.
 * @throws {@link ProviderError} if the document cannot be fetched or used.
 * @see OpenID Connect Discovery 1.0 §4
 */
export async function discover(
  registration: ResolvedRegistration,
  overrides: Readonly<Record<string, unknown>>,
  fetch: ProviderFetch,
): Promise<Discovered> {
  const { issuer, discovery } = registration
  try {
    const found =
      discovery instanceof URL ? await fetchDocument(registration, discovery, fetch) : discovery
    const document = found && presentMembers(asJson<ServerMetadata>({ ...found, ...overrides }))
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
      // openid-client needs no timeout, because each exchange has its own.
      configuration.timeout = 0
      return configuration
    }
    // If the document names the expected issuer, a redirect to the provider need not wait until
    // openid-client is loaded. openid-client decides about a document with another issuer, such as
    // some of Entra ID, and checks every document before a code or token is sent.
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

/**
 * The metadata in the form that openid-client has accepted. Throws the error of openid-client if it
 * refuses the document.
 */
async function judged(configure: Discovered['configure']): Promise<ServerMetadata> {
  const { None } = await loadOpenidClient()
  const configuration = await configure(None())
  // A plain copy, without the helpers that openid-client adds.
  return asJson(configuration.serverMetadata())
}

function asJson<T>(value: object): T {
  return JSON.parse(JSON.stringify(value)) as T
}

/**
 * Fetches a discovery document; `undefined` if the body is not a JSON object. Redirects on the same
 * origin are followed, because some providers redirect to the URL with a slash at the end.
 */
async function fetchDocument(
  { issuer }: ResolvedRegistration,
  address: URL,
  fetch: ProviderFetch,
): Promise<object | undefined> {
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
        status === 404 ? await localRemedy(issuer, fetch) : undefined,
      )
    }
    if (redirects === MAX_REDIRECTS) throw unusable(address, 'there are too many redirects')
    url = next
  }
}

/** The names of this machine, of which a server may know only one. */
const LOCAL_HOSTS = ['localhost', '127.0.0.1'] as const

/**
 * The remedy for an issuer on this machine whose discovery document is not found. The server may
 * know only another name of this machine, so {@link LOCAL_HOSTS} are tried, on the same port only.
 */
async function localRemedy(issuer: URL, fetch: ProviderFetch): Promise<string | undefined> {
  if (!isLoopbackHost(issuer.hostname)) return undefined
  for (const hostname of LOCAL_HOSTS.filter((one) => one !== issuer.hostname)) {
    const other = new URL(issuer)
    other.hostname = hostname
    const answer = await fetch(discoveryUrlOf(other).href).catch(() => undefined)
    const named = answer?.status === 200 ? parseRecord(answer.body)?.issuer : undefined
    if (typeof named === 'string' && URL.parse(named)?.href === other.href) return setIssuer(named)
  }
  return issuer.pathname === '/' ? HOST_DECIDES : undefined
}

const HOST_DECIDES =
  'Set `issuer` to the address that the provider printed when it started: it may be found by its host name alone.'

function setIssuer(to: string): string {
  return `Set \`issuer\` to "${printable(to, 200)}".`
}

/** The error for an https issuer on a port that answers without TLS. */
function plainHttp(issuer: URL, cause: Error): ProviderError {
  const other = new URL(issuer)
  other.protocol = 'http:'
  const remedy = isLoopbackHost(issuer.hostname)
    ? setIssuer(other.href.replace(/\/$/, ''))
    : 'Set `issuer` to the port on which the provider answers https; that of a proxy with TLS is usually 443.'
  const message = `${issuer.href} is plain HTTP, and not https.`
  return new ProviderError('LATCHKEY_PROVIDER_UNAVAILABLE', message, { cause, remedy })
}

function discoveryError(
  cause: unknown,
  { issuer, discovery }: ResolvedRegistration,
): LatchkeyError {
  const known = kitCause(cause)
  if (known?.cause instanceof Error && isWithoutTls(known.cause)) {
    return plainHttp(issuer, known.cause)
  }
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

/**
 * The options to set for a discovery document: the issuer that it names, and its URL if that is not
 * the default URL of this issuer.
 */
function optionsFor(named: string, address: URL): string {
  const issuer = URL.parse(named)
  const isItsOwn = issuer !== null && discoveryUrlOf(issuer).href === address.href
  return `issuer: "${named}"${isItsOwn ? '' : ` and discoveryUrl: "${address.href}"`}`
}

const ELSEWHERE =
  'Is "issuer" right? If the document is at another address, set "discoveryUrl". If the provider has none, set "metadata" with "authorization_endpoint", "token_endpoint" and "jwks_uri".'

function unusable(address: URL, why: string | undefined, remedy = ELSEWHERE): ProviderError {
  const message = `There is no usable discovery document at ${address.href}${why ? ` (${why})` : ''}.`
  return new ProviderError('LATCHKEY_PROVIDER_INVALID', message, { remedy })
}

/** Whether a server answered a TLS handshake in plain text, by the error of OpenSSL. */
function isWithoutTls({ code, message }: Error & { readonly code?: unknown }): boolean {
  return code === 'ERR_SSL_WRONG_VERSION_NUMBER' || message.includes('wrong version number')
}
