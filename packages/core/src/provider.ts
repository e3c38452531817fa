import type { KeyObject } from 'node:crypto'
import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client'
import { clientAuthentication } from './client-auth.ts'
import { type LatchkeyError, ProviderError } from './errors.ts'
import type { Publish } from './events.ts'
import { decodeJwt } from './jwt.ts'
import { type JwtHeader, type KeySet, parseKeySet } from './key-set.ts'
import { loadOpenidClient, type OpenidClient } from './openid-client.ts'
import type { ClientAuth, ResolvedRegistration } from './options.ts'
import { PROTECTED_PARAMETERS } from './protected-parameters.ts'
import { factsOf, isUnavailable, kitCause, printable } from './provider-error.ts'
import {
  createProviderFetch,
  type ProviderAnswer,
  type ProviderInit,
  type ProviderTransport,
} from './provider-fetch.ts'
import { checkMetadata } from './provider-metadata.ts'

/** What a provider works with. */
export interface ProviderSettings {
  readonly registration: ResolvedRegistration
  readonly clientAuth: ClientAuth | undefined
  readonly clientKey: KeyObject | undefined
  /** The parameters that every authorization request of the application has in common. */
  readonly authorizationParams: Readonly<Record<string, string>>
  readonly timeoutSeconds: number
  readonly transport: ProviderTransport
  readonly now: () => number
  readonly publish: Publish
}

/** The provider as this application knows it. */
export interface Provider {
  /** As registered; what the provider says of itself is in {@link ProviderState.metadata}. */
  readonly issuer: string
  readonly clientId: string
  /** The client secret; a function, so that printing a provider does not show it. */
  clientSecret(): string | undefined
  /**
   * What the provider published: looked up at first use, by one request however many ask, looked up
   * again in the background every hour, and kept when that fails.
   *
   * @throws {@link ProviderError} when there is nothing to keep.
   */
  state(): Promise<ProviderState>
  /**
   * The keys; fetched again every hour, so that one the provider withdrew is not believed for longer,
   * and when there is none for `header`, at most every few seconds. Kept when that fails.
   */
  keys(header: JwtHeader): Promise<KeySet>
  /** Verifies the signature of a token that the provider sent, and nothing else of it. */
  verify(token: string): Promise<SignatureAnswer>
  /** A configuration with which openid-client checks signatures itself: userinfo may have one. */
  checkingSignatures(): Promise<Configuration>
  /** How it stands with the provider, without asking it. */
  health(): ProviderHealth
}

/** The header of a token whose signature is good, or the reason why it is not: `is wrong`. */
export type SignatureAnswer =
  | { readonly header: JwtHeader; readonly fault?: undefined }
  | { readonly header?: undefined; readonly fault: string }

/** What is known from the provider's discovery document. */
export interface ProviderState {
  readonly client: OpenidClient
  readonly metadata: ServerMetadata
  readonly configuration: Configuration
  /** The authorization endpoint with what requests have in common; the rest of one follows. */
  readonly authorizationPrefix: string
}

/** `stale`: what is known is served although the provider did not answer the last time. */
export interface ProviderHealth {
  readonly provider: 'unknown' | 'ok' | 'stale' | 'unavailable'
  /** When the provider last answered a look-up, in seconds since the epoch. */
  readonly discoveredAt: number | undefined
}

const MAX_BYTES = 1_048_576
/** Of userinfo openid-client also reads the challenge (RFC 6750 §3). */
const USERINFO_HEADERS: ReadonlySet<string> = new Set(['content-type', 'www-authenticate'])
/**
 * Elsewhere the error is in the body (RFC 6749 §5.2), which openid-client does not read when there is
 * a challenge as well.
 */
const READ_HEADERS: ReadonlySet<string> = new Set(['content-type'])
/** How long what the provider published is taken to hold. */
const MAX_AGE_SECONDS = 3600
const RETRY_SECONDS = 30
const KEY_REFETCH_SECONDS = 5

/** Makes a provider. Nothing is fetched before it is needed. */
export function createProvider(settings: ProviderSettings): Provider {
  const { registration, timeoutSeconds, now, publish } = settings
  const issuer = registration.issuer.href
  const boundedFetch = createProviderFetch(settings.transport, {
    timeoutSeconds,
    maxBytes: MAX_BYTES,
  })
  const isInsecure = registration.issuer.protocol === 'http:'

  let state: ProviderState | undefined
  let discoveredAt: number | undefined
  let failedAt: number | undefined
  let inFlight: Promise<ProviderState> | undefined
  let keys: { set: KeySet; body: string; fetchedAt: number } | undefined
  let keysInFlight: Promise<KeySet> | undefined

  /** What openid-client calls: keys come from the last good answer when there is no new one. */
  const providerFetch: CustomFetch = async (url, init) => {
    if (state && isEndpoint(url, state.metadata.jwks_uri)) {
      await fetchKeys(state.metadata)
      return new Response(keys?.body, { headers: { 'content-type': 'application/json' } })
    }
    const isUserinfo = isEndpoint(url, state?.metadata.userinfo_endpoint)
    const answer = await boundedFetch(url, initOf(init))
    return responseOf(answer, isUserinfo ? USERINFO_HEADERS : READ_HEADERS)
  }

  const configure = async (
    client: OpenidClient,
    metadata: ServerMetadata,
  ): Promise<Configuration> => {
    const { clientId, clientSecret } = registration
    const credentials = {
      method: settings.clientAuth,
      secret: clientSecret,
      key: settings.clientKey,
    }
    const configuration = new client.Configuration(
      metadata,
      clientId,
      clientSecret === undefined ? {} : { client_secret: clientSecret },
      await clientAuthentication(client, credentials, metadata),
    )
    if (isInsecure) client.allowInsecureRequests(configuration)
    configuration[client.customFetch] = providerFetch
    // Each exchange is timed where it takes place.
    configuration.timeout = 0
    return configuration
  }

  const discover = async (): Promise<ProviderState> => {
    try {
      const client = await loadOpenidClient()
      const { issuer: server, clientId } = registration
      const found = await client.discovery(server, clientId, {}, undefined, {
        execute: isInsecure ? [client.allowInsecureRequests] : [],
        timeout: 0,
        [client.customFetch]: async (url, init) =>
          responseOf(await boundedFetch(url, initOf(init)), READ_HEADERS),
      })
      const metadata = checkMetadata(found, isInsecure)
      state = {
        client,
        metadata,
        configuration: await configure(client, metadata),
        authorizationPrefix: authorizationPrefix(metadata, {
          client_id: clientId,
          ...settings.authorizationParams,
        }),
      }
      discoveredAt = now()
      failedAt = undefined
      publish('discovery.refreshed', { issuer })
      return state
    } catch (cause) {
      failedAt = now()
      const error = discoveryError(cause, issuer)
      publish(state ? 'discovery.stale' : 'discovery.failed', { issuer, code: error.code })
      if (state) return state
      throw error
    } finally {
      inFlight = undefined
    }
  }

  const fetchKeys = (metadata: ServerMetadata): Promise<KeySet> => {
    if (keys && now() - keys.fetchedAt < KEY_REFETCH_SECONDS) return Promise.resolve(keys.set)
    keysInFlight ??= download(metadata).finally(() => {
      keysInFlight = undefined
    })
    return keysInFlight
  }

  const download = async (metadata: ServerMetadata): Promise<KeySet> => {
    try {
      const response = await boundedFetch(metadata.jwks_uri ?? '', {
        headers: { accept: 'application/json, application/jwk-set+json' },
      })
      const body = response.status === 200 ? response.body : ''
      const set = parseKeySet(body)
      if (!set) {
        throw new ProviderError('LATCHKEY_PROVIDER_INVALID', 'The jwks_uri holds no key set.')
      }
      keys = { set, body, fetchedAt: now() }
      return set
    } catch (error) {
      if (!keys) throw error
      keys = { ...keys, fetchedAt: now() }
      return keys.set
    }
  }

  const provider: Provider = {
    issuer,
    clientId: registration.clientId,
    clientSecret: () => registration.clientSecret,
    state() {
      if (!state) {
        inFlight ??= discover()
        return inFlight
      }
      const due = now() - (discoveredAt ?? 0) >= MAX_AGE_SECONDS
      if (due && !inFlight && now() - (failedAt ?? 0) >= RETRY_SECONDS) inFlight = discover()
      return Promise.resolve(state)
    },
    async keys(header) {
      if (keys?.set.has(header) && now() - keys.fetchedAt < MAX_AGE_SECONDS) return keys.set
      const { metadata } = await provider.state()
      return fetchKeys(metadata)
    },
    async verify(token) {
      const jwt = decodeJwt(token)
      if (!jwt || jwt.header.crit !== undefined) return { fault: 'cannot be read' }
      const { header } = jwt
      const set = await provider.keys(header)
      const named = `"kid" ${header.kid === undefined ? 'missing' : `"${printable(header.kid)}"`}, "alg" "${printable(header.alg)}"`
      if (!set.has(header))
        return { fault: `is by a key that the provider does not publish (${named})` }
      if (!set.hasOne(header)) return { fault: `could be by several keys (${named})` }
      return set.verify(header, jwt.signed, jwt.signature) ? { header } : { fault: 'is wrong' }
    },
    async checkingSignatures() {
      const { client, metadata } = await provider.state()
      const configuration = await configure(client, metadata)
      client.enableNonRepudiationChecks(configuration)
      return configuration
    },
    health() {
      if (!state) return { provider: failedAt ? 'unavailable' : 'unknown', discoveredAt }
      return { provider: failedAt ? 'stale' : 'ok', discoveredAt }
    },
  }
  return provider
}

function isEndpoint(url: string, endpoint: string | undefined): boolean {
  return endpoint !== undefined && (url === endpoint || url === new URL(endpoint).href)
}

/** What openid-client asks for: its bodies are forms, or nothing. */
function initOf({ method, headers, body }: Parameters<CustomFetch>[1]): ProviderInit {
  return { method, headers, ...(body ? { body: String(body) } : {}) }
}

/** The answer as openid-client takes it, with the headers that it may read. */
function responseOf(
  { status, headers, body }: ProviderAnswer,
  names: ReadonlySet<string>,
): Response {
  const read = headers.filter(([name]) => names.has(name))
  return new Response(body === '' ? null : body, { status, headers: read })
}

/** The endpoint may have parameters of its own, but none that the kit decides (RFC 6749 §3.1). */
function authorizationPrefix(
  metadata: ServerMetadata,
  parameters: Readonly<Record<string, string>>,
): string {
  const url = new URL(metadata.authorization_endpoint ?? '')
  for (const name of PROTECTED_PARAMETERS) url.searchParams.delete(name)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  url.hash = ''
  return `${url.href}&`
}

function discoveryError(cause: unknown, issuer: string): LatchkeyError {
  const known = kitCause(cause)
  if (known) return known
  if (isUnavailable(cause)) {
    return new ProviderError('LATCHKEY_PROVIDER_UNAVAILABLE', `${issuer} did not answer in time.`)
  }
  const { body, reason, status } = factsOf(cause)
  if (typeof body?.issuer === 'string' && body.issuer !== issuer) {
    const found = printable(body.issuer, 200)
    const message = `The discovery document of "${issuer}" names the issuer "${found}". Set "issuer" to exactly that if it is your provider.`
    return new ProviderError('LATCHKEY_PROVIDER_INVALID', message)
  }
  const why = status === undefined ? reason : `status ${status}`
  const message = `${issuer} has no usable discovery document${why ? ` (${why})` : ''}; is "issuer" right?`
  return new ProviderError('LATCHKEY_PROVIDER_INVALID', message)
}
