import type { KeyObject } from 'node:crypto'
import {
  allowInsecureRequests,
  Configuration,
  type CustomFetch,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type ServerMetadata,
} from 'openid-client'
import { clientAuthentication } from './client-auth.ts'
import { type LatchkeyError, ProviderError } from './errors.ts'
import type { Publish } from './events.ts'
import { type JwtHeader, type KeySet, parseKeySet } from './key-set.ts'
import type { ClientAuth, ResolvedRegistration } from './options.ts'
import { kitCause } from './provider-error.ts'
import { createProviderFetch } from './provider-fetch.ts'
import { checkMetadata } from './provider-metadata.ts'
import { createTokenReplay } from './token-replay.ts'

/** What a provider works with. */
export interface ProviderSettings {
  readonly registration: ResolvedRegistration
  readonly clientAuth: ClientAuth | undefined
  readonly clientKey: KeyObject | undefined
  readonly timeoutSeconds: number
  readonly fetch: typeof fetch
  readonly now: () => number
  readonly publish: Publish
}

/** The provider as this application knows it. */
export interface Provider {
  /** As registered; what the provider says of itself is in {@link ProviderState.metadata}. */
  readonly issuer: string
  readonly clientId: string
  /**
   * What the provider published: looked up at first use, by one request however many ask, looked up
   * again in the background every hour, and kept when that fails.
   *
   * @throws {@link ProviderError} when there is nothing to keep.
   */
  state(): Promise<ProviderState>
  /** The keys; fetched again, at most every few seconds, when there is none for `header`. */
  keys(header: JwtHeader): Promise<KeySet>
  /**
   * After a token was refused for a key that is not known: a configuration that reads the keys anew
   * and answers the token request from the response that was received already. `undefined` when the
   * keys are as they were.
   */
  withFreshKeys(grant: string): Promise<Configuration | undefined>
  /** How it stands with the provider, without asking it. */
  health(): ProviderHealth
}

/** What is known from the provider's discovery document. */
export interface ProviderState {
  readonly metadata: ServerMetadata
  readonly configuration: Configuration
}

/** `stale`: what is known is served although the provider did not answer the last time. */
export interface ProviderHealth {
  readonly provider: 'unknown' | 'ok' | 'stale' | 'unavailable'
  /** When the provider last answered a look-up, in seconds since the epoch. */
  readonly discoveredAt: number | undefined
}

const MAX_BYTES = 1_048_576
const DISCOVERY_SECONDS = 3600
const RETRY_SECONDS = 30
const KEY_REFETCH_SECONDS = 5

/** Makes a provider. Nothing is fetched before it is needed. */
export function createProvider(settings: ProviderSettings): Provider {
  const { registration, timeoutSeconds, now, publish } = settings
  const issuer = registration.issuer.href
  const boundedFetch = createProviderFetch(settings.fetch, { timeoutSeconds, maxBytes: MAX_BYTES })
  const replay = createTokenReplay()
  const insecure = registration.issuer.protocol === 'http:' ? [allowInsecureRequests] : []

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
    const response = await boundedFetch(url, init as RequestInit)
    if (state && isEndpoint(url, state.metadata.token_endpoint)) {
      return replay.remember(init.body, response, (header) => keys?.set.has(header) ?? true)
    }
    return response
  }

  const configure = async (
    metadata: ServerMetadata,
    fetch: CustomFetch,
  ): Promise<Configuration> => {
    const { clientId, clientSecret } = registration
    const credentials = {
      method: settings.clientAuth,
      secret: clientSecret,
      key: settings.clientKey,
    }
    const configuration = new Configuration(
      metadata,
      clientId,
      clientSecret === undefined ? {} : { client_secret: clientSecret },
      await clientAuthentication(credentials, metadata),
    )
    enableNonRepudiationChecks(configuration)
    for (const allow of insecure) allow(configuration)
    configuration[customFetch] = fetch
    configuration.timeout = timeoutSeconds
    return configuration
  }

  const discover = async (): Promise<ProviderState> => {
    try {
      const found = await discovery(registration.issuer, registration.clientId, {}, undefined, {
        execute: insecure,
        timeout: timeoutSeconds,
        [customFetch]: (url, init) => boundedFetch(url, init as RequestInit),
      })
      const metadata = checkMetadata(found, insecure.length > 0)
      state = { metadata, configuration: await configure(metadata, providerFetch) }
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
      const body = response.status === 200 ? await response.text() : ''
      const set = parseKeySet(body)
      if (!set) {
        throw new ProviderError('LATCHKEY_PROVIDER_INVALID', 'The jwks_uri holds no key set.')
      }
      const rotated = keys !== undefined && keys.body !== body
      keys = { set, body, fetchedAt: now() }
      // openid-client keeps the keys with a configuration: a new one reads them anew.
      if (rotated) state = { metadata, configuration: await configure(metadata, providerFetch) }
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
    state() {
      if (!state) {
        inFlight ??= discover()
        return inFlight
      }
      const due = now() - (discoveredAt ?? 0) >= DISCOVERY_SECONDS
      if (due && !inFlight && now() - (failedAt ?? 0) >= RETRY_SECONDS) inFlight = discover()
      return Promise.resolve(state)
    },
    async keys(header) {
      if (keys?.set.has(header)) return keys.set
      const { metadata } = await provider.state()
      return fetchKeys(metadata)
    },
    async withFreshKeys(grant) {
      const received = replay.take(grant)
      if (!received) return undefined
      const { metadata } = await provider.state()
      const set = await fetchKeys(metadata)
      if (!set.has(received.header)) return undefined
      const configuration = await configure(metadata, async (url, init) =>
        isEndpoint(url, metadata.token_endpoint) ? received.response : providerFetch(url, init),
      )
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

function discoveryError(cause: unknown, issuer: string): LatchkeyError {
  const known = kitCause(cause)
  if (known) return known
  const code = (cause as { code?: string }).code
  if (code === 'OAUTH_TIMEOUT') {
    return new ProviderError('LATCHKEY_PROVIDER_UNAVAILABLE', `${issuer} did not answer in time.`)
  }
  const what =
    code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'
      ? 'says it is another issuer'
      : 'has no usable discovery document'
  return new ProviderError('LATCHKEY_PROVIDER_INVALID', `${issuer} ${what}; is "issuer" right?`, {
    cause: cause instanceof Error ? cause.message : undefined,
  })
}
