import type { Configuration, ServerMetadata } from 'openid-client'
import { type LatchkeyError, ProviderError } from '../errors/errors.ts'
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
 * Fetches the discovery document of an issuer.
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
  const { issuer } = registration
  try {
    const client = await loadOpenidClient()
    const found = await fetchDocument(issuer, fetch)
    const document = found && { ...found, ...overrides }
    const isInsecure = issuer.protocol === 'http:'
    const configure: Discovered['configure'] = async (authentication) => {
      // openid-client makes exceptions for the issuers of Entra ID, in its discovery alone.
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
    const metadata = checkMetadata(await configure(client.None()), isInsecure)
    return { metadata, configure }
  } catch (cause) {
    throw discoveryError(cause, issuer.href)
  }
}

/** Some providers redirect to the same address with a slash: redirects on the origin are followed. */
async function fetchDocument(issuer: URL, fetch: ProviderFetch): Promise<object | undefined> {
  const path = issuer.pathname.replace(/\/$/, '')
  let url = new URL(`${path}/.well-known/openid-configuration`, issuer)
  for (let redirects = 0; ; redirects++) {
    const { status, headers, body } = await fetch(url.href, {
      headers: { accept: 'application/json' },
    })
    if (status === 200) return parseRecord(body)
    const location = headers.find(([name]) => name === 'location')?.[1]
    const next =
      location && URL.canParse(location, url.href) ? new URL(location, url.href) : undefined
    if (status < 300 || status > 399 || next?.origin !== issuer.origin) {
      throw unusable(`status ${status}${next ? ', a redirect to another origin' : ''}`, issuer.href)
    }
    if (redirects === MAX_REDIRECTS) throw unusable('too many redirects', issuer.href)
    url = next
  }
}

function discoveryError(cause: unknown, issuer: string): LatchkeyError {
  const known = kitCause(cause)
  if (known) return known
  if (isUnavailable(cause)) {
    return new ProviderError('LATCHKEY_PROVIDER_UNAVAILABLE', `${issuer} did not answer in time.`)
  }
  const { body, reason } = factsOf(cause)
  if (typeof body?.issuer !== 'string' || body.issuer === issuer) return unusable(reason, issuer)
  const found = printable(body.issuer, 200)
  const message = `The discovery document of "${issuer}" names the issuer "${found}". Set "issuer" to exactly that if it is your provider.`
  return new ProviderError('LATCHKEY_PROVIDER_INVALID', message)
}

function unusable(why: string | undefined, issuer: string): ProviderError {
  const message = `${issuer} has no usable discovery document${why ? ` (${why})` : ''}; is "issuer" right?`
  return new ProviderError('LATCHKEY_PROVIDER_INVALID', message)
}
